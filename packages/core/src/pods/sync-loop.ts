import type { Channel, Clock, Logger, PodConfigUpdate, PodLifecycleEvent, ProbeUpdate, ProbeUpdates, Timer } from '@nodeagent/api';

/** What the loop calls, one at a time. */
export interface SyncHandler {
  /** Resolves when the update is handled; a pod is admitted before any other event of it is handled. */
  handleConfigUpdate(update: PodConfigUpdate): void | Promise<void>;
  handlePodLifecycleEvent(event: PodLifecycleEvent): void;
  handleProbeUpdate(update: ProbeUpdate): void;
  /** Syncs pods, with the reason: a periodic resync (`Due`, the default) or an allocated resize (`Resize`). */
  syncPods(uids: string[], event?: string): void;
  /** Reconciles desired and running pods and cleans up; true if no cleanup is pending. */
  housekeeping(): Promise<boolean>;
}

export interface SyncLoopOptions {
  config: Pick<Channel<PodConfigUpdate>, 'poll' | 'onOffer'>;
  podEvents: Pick<Channel<PodLifecycleEvent>, 'poll' | 'onOffer'>;
  probeUpdates: ProbeUpdates;
  workQueue: { takeDue(): string[]; onDue: (() => void) | undefined };
  handler: SyncHandler;
  /** Why pods cannot be synced now; while there is a reason the loop handles configuration only. */
  runtimeErrors: () => string[];
  clock: Clock;
  logger: Logger;
  /** Time between a change and housekeeping, and between housekeepings with pending cleanup. */
  housekeepingPeriodMs: number;
  /** Time between housekeepings without changes. */
  idleHousekeepingPeriodMs: number;
}

/** The loop that handles everything that happens to pods. */
export interface SyncLoop {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Time of the last step by the monotonic clock; undefined before the first one. */
  lastStep(): number | undefined;
  /** Triggers a step after new input. */
  trigger(): void;
  /** Schedules housekeeping after a change of a pod. */
  scheduleHousekeeping(): void;
  /** Schedules housekeeping immediately. */
  triggerHousekeeping(): void;
}

/**
 * Handles one item at a time from configuration, pod lifecycle events, the work queue and housekeeping. It waits for events; its only timer
 * is that of the next housekeeping, which is long while nothing changes: docs/decisions/0009.
 */
export function createSyncLoop(options: SyncLoopOptions): SyncLoop {
  const { config, podEvents, probeUpdates, workQueue, handler, runtimeErrors, clock, logger } = options;
  const { housekeepingPeriodMs, idleHousekeepingPeriodMs } = options;
  const channels: { onOffer: (() => void) | undefined }[] = [config, podEvents, probeUpdates];
  let resolveWait: (() => void) | undefined;
  let triggered = false;
  let housekeepingDue = false;
  let lastStep: number | undefined;

  const trigger = () => {
    triggered = true;
    resolveWait?.();
  };
  const triggerHousekeeping = () => {
    housekeepingDue = true;
    trigger();
  };
  const timer = createEarliestTimer(clock, triggerHousekeeping);
  const scheduleHousekeeping = () => timer.schedule(housekeepingPeriodMs);
  const { failed, guarded } = createGuards(logger);
  const handleConfig = async (update: PodConfigUpdate) => handler.handleConfigUpdate(update);

  /** Handles one item of each kind, but all pod lifecycle events: those of one pod then cause one sync. True if there was one. */
  const step = async (signal: AbortSignal): Promise<boolean> => {
    const update = config.poll();
    if (update) await handleConfig(update).catch((error) => signal.aborted || failed('handling a pod configuration update')(error));
    if (runtimeErrors().length > 0) return update !== undefined;
    const events = takeAll(podEvents);
    for (const event of events) guarded('handling a pod lifecycle event', () => handler.handlePodLifecycleEvent(event));
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
    const happened = update !== undefined || events.length > 0;
    // Workers schedule housekeeping after a sync that changes a pod; most periodic syncs do not.
    if (happened) scheduleHousekeeping();
    return happened || due.length > 0 || probed !== undefined;
  };

  return {
    lastStep: () => lastStep,
    trigger,
    scheduleHousekeeping,
    triggerHousekeeping,
    async run(signal) {
      timer.start();
      for (const channel of channels) channel.onOffer = trigger;
      workQueue.onDue = trigger;
      signal.addEventListener('abort', trigger, { once: true });
      scheduleHousekeeping();
      try {
        while (!signal.aborted) {
          triggered = false;
          lastStep = clock.monotonic();
          if (await step(signal)) continue;
          if (triggered || signal.aborted) continue;
          await new Promise<void>((resolve) => {
            resolveWait = resolve;
          });
          resolveWait = undefined;
        }
      } finally {
        timer.stop();
        signal.removeEventListener('abort', trigger);
        for (const channel of channels) channel.onOffer = undefined;
        workQueue.onDue = undefined;
      }
    },
  };
}

function takeAll<T>(channel: Pick<Channel<T>, 'poll'>): T[] {
  const items: T[] = [];
  for (let item = channel.poll(); item !== undefined; item = channel.poll()) items.push(item);
  return items;
}

/** One timer that fires at the earliest scheduled time. Schedules between `stop` and `start` are ignored. */
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

/** Logs the error of a failed step; the loop continues. */
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
