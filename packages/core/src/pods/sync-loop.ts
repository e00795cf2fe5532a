import type { Channel, Clock, Logger, PodConfigUpdate, PodLifecycleEvent, ProbeUpdate, ProbeUpdates, Timer } from '@nodeagent/api';

/** What the loop calls, one at a time. */
export interface SyncHandler {
  /** Resolves when it is taken in: pods are admitted before anything else happens to them. */
  handleConfigUpdate(update: PodConfigUpdate): void | Promise<void>;
  handlePodLifecycleEvent(event: PodLifecycleEvent): void;
  handleProbeUpdate(update: ProbeUpdate): void;
  /** Pods to be looked at, and why: their next look is due (`Due`, the default), or their resize was decided on (`Resize`). */
  syncPods(uids: string[], event?: string): void;
  /** Compares what shall run with what runs and removes leftovers; true if nothing remains that it has to come back to. */
  housekeeping(): Promise<boolean>;
}

export interface SyncLoopOptions {
  config: Pick<Channel<PodConfigUpdate>, 'poll' | 'onOffer'>;
  podEvents: Pick<Channel<PodLifecycleEvent>, 'poll' | 'onOffer'>;
  probeUpdates: ProbeUpdates;
  workQueue: { takeDue(): string[]; onDue: (() => void) | undefined };
  handler: SyncHandler;
  /** Why pods cannot be worked on now; only configuration is taken in while there is a reason. */
  runtimeErrors: () => string[];
  clock: Clock;
  logger: Logger;
  /** From something that happened to the housekeeping after it, and between housekeepings that leave something to do. */
  housekeepingPeriodMs: number;
  /** Between housekeepings while nothing happens. */
  idleHousekeepingPeriodMs: number;
}

/** The agent's one loop over everything that can happen to pods. */
export interface SyncLoop {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** When it last looked for work, by the clock's monotonic time; undefined before it first did. */
  lastStep(): number | undefined;
  /** Looks for work again; called when something outside changed. */
  wake(): void;
  /** Something happened to a pod that housekeeping may have to follow. */
  stir(): void;
  /** Lets housekeeping run as soon as possible instead of at its next time. */
  housekeep(): void;
}

/**
 * Takes one item at a time from configuration, pod lifecycle events, the work queue and housekeeping. It sleeps on an event and
 * holds no timer but that of the next housekeeping, which is far off while nothing happens: docs/decisions/0009.
 */
export function createSyncLoop(options: SyncLoopOptions): SyncLoop {
  const { config, podEvents, probeUpdates, workQueue, handler, runtimeErrors, clock, logger } = options;
  const { housekeepingPeriodMs, idleHousekeepingPeriodMs } = options;
  const channels: { onOffer: (() => void) | undefined }[] = [config, podEvents, probeUpdates];
  let wakeUp: (() => void) | undefined;
  let woken = false;
  let housekeepingDue = false;
  let lastStep: number | undefined;

  const wake = () => {
    woken = true;
    wakeUp?.();
  };
  const housekeep = () => {
    housekeepingDue = true;
    wake();
  };
  const timer = createEarliestTimer(clock, housekeep);
  const stir = () => timer.schedule(housekeepingPeriodMs);
  const { failed, guarded } = createGuards(logger);
  const takeIn = async (update: PodConfigUpdate) => handler.handleConfigUpdate(update);

  /** Does what there is to do; true if it did something. */
  const step = async (signal: AbortSignal): Promise<boolean> => {
    const update = config.poll();
    if (update) await takeIn(update).catch((error) => signal.aborted || failed('handling a pod configuration update')(error));
    if (runtimeErrors().length > 0) return update !== undefined;
    const event = podEvents.poll();
    if (event) guarded('handling a pod lifecycle event', () => handler.handlePodLifecycleEvent(event));
    const probed = probeUpdates.poll();
    if (probed) guarded("handling a probe's result", () => handler.handleProbeUpdate(probed));
    const due = workQueue.takeDue();
    if (due.length > 0) guarded('syncing due pods', () => handler.syncPods(due));
    if (housekeepingDue) {
      housekeepingDue = false;
      const settled = await handler.housekeeping().catch((error) => {
        logger.warn({ err: error }, 'housekeeping failed');
        return false;
      });
      timer.schedule(settled ? idleHousekeepingPeriodMs : housekeepingPeriodMs);
    }
    const happened = update !== undefined || event !== undefined || due.length > 0;
    if (happened) stir();
    return happened || probed !== undefined;
  };

  return {
    lastStep: () => lastStep,
    wake,
    stir,
    housekeep,
    async run(signal) {
      timer.start();
      for (const channel of channels) channel.onOffer = wake;
      workQueue.onDue = wake;
      signal.addEventListener('abort', wake, { once: true });
      stir();
      try {
        while (!signal.aborted) {
          woken = false;
          lastStep = clock.monotonic();
          if (await step(signal)) continue;
          if (woken || signal.aborted) continue;
          await new Promise<void>((resolve) => {
            wakeUp = resolve;
          });
          wakeUp = undefined;
        }
      } finally {
        timer.stop();
        signal.removeEventListener('abort', wake);
        for (const channel of channels) channel.onOffer = undefined;
        workQueue.onDue = undefined;
      }
    },
  };
}

/** One timer that fires at the earliest time for which it was scheduled. Between `stop` and `start` it takes no schedule. */
function createEarliestTimer(clock: Pick<Clock, 'monotonic' | 'setTimeout'>, fire: () => void) {
  let timer: Timer | undefined;
  let timerAt = Number.POSITIVE_INFINITY;
  let running = false;
  return {
    start() {
      running = true;
    },
    schedule(ms: number) {
      const at = clock.monotonic() + ms;
      if (!running || at >= timerAt) return;
      timer?.cancel();
      timerAt = at;
      timer = clock.setTimeout(() => {
        timerAt = Number.POSITIVE_INFINITY;
        fire();
      }, ms);
    },
    stop() {
      running = false;
      timer?.cancel();
    },
  };
}

/** The loop goes on after a failed step, and logs it. */
function createGuards(logger: Logger) {
  const failed = (what: string) => (error: unknown) => void logger.error({ err: error }, `${what} failed`);
  return {
    failed,
    guarded(what: string, action: () => void) {
      try {
        action();
      } catch (error) {
        failed(what)(error);
      }
    },
  };
}
