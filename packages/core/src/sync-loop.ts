import {
  type Channel,
  type Clock,
  errorMessage,
  type Logger,
  type PodConfigUpdate,
  type PodLifecycleEvent,
  type Timer,
} from '@nodeagent/api';

/** What the loop calls, one at a time. */
export interface SyncHandler {
  handleConfigUpdate(update: PodConfigUpdate): void;
  handlePodLifecycleEvent(event: PodLifecycleEvent): void;
  /** Pods whose next look is due. */
  syncPods(uids: string[]): void;
  /** Compares what shall run with what runs and removes leftovers. */
  housekeeping(): Promise<void>;
}

export interface SyncLoopOptions {
  config: Pick<Channel<PodConfigUpdate>, 'poll' | 'onOffer'>;
  podEvents: Pick<Channel<PodLifecycleEvent>, 'poll' | 'onOffer'>;
  workQueue: { takeDue(): string[]; onDue: (() => void) | undefined };
  handler: SyncHandler;
  /** Why pods cannot be worked on now; only configuration is taken in while there is a reason. */
  runtimeErrors: () => string[];
  clock: Clock;
  logger: Logger;
  housekeepingPeriodMs: number;
}

/** The agent's one loop over everything that can happen to pods. */
export interface SyncLoop {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Looks for work again; called when something outside changed. */
  wake(): void;
  /** Lets housekeeping run as soon as possible instead of at its next time. */
  housekeep(): void;
}

/**
 * Takes one item at a time from configuration, pod lifecycle events, the work queue and housekeeping. It sleeps on an event and
 * holds no timer but that of the next housekeeping.
 */
export function createSyncLoop(options: SyncLoopOptions): SyncLoop {
  const { config, podEvents, workQueue, handler, runtimeErrors, clock, logger, housekeepingPeriodMs } = options;
  let wakeUp: (() => void) | undefined;
  let woken = false;
  let housekeepingDue = false;

  const wake = () => {
    woken = true;
    wakeUp?.();
  };
  const housekeep = () => {
    housekeepingDue = true;
    wake();
  };
  const guarded = (what: string, action: () => void) => {
    try {
      action();
    } catch (error) {
      logger.error({ error }, `${what} failed: ${errorMessage(error)}`);
    }
  };

  /** Does what there is to do; true if it did something. */
  const step = async (): Promise<boolean> => {
    const update = config.poll();
    if (update) guarded('handling a pod configuration update', () => handler.handleConfigUpdate(update));
    if (runtimeErrors().length > 0) return update !== undefined;
    const event = podEvents.poll();
    if (event) guarded('handling a pod lifecycle event', () => handler.handlePodLifecycleEvent(event));
    const due = workQueue.takeDue();
    if (due.length > 0) guarded('syncing due pods', () => handler.syncPods(due));
    if (housekeepingDue) {
      housekeepingDue = false;
      await handler.housekeeping().catch((error) => logger.warn({ error }, `housekeeping failed: ${errorMessage(error)}`));
    }
    return update !== undefined || event !== undefined || due.length > 0;
  };

  return {
    wake,
    housekeep,
    async run(signal) {
      let timer: Timer | undefined;
      const tick = () => {
        housekeep();
        timer = clock.setTimeout(tick, housekeepingPeriodMs);
      };
      config.onOffer = wake;
      podEvents.onOffer = wake;
      workQueue.onDue = wake;
      signal.addEventListener('abort', wake, { once: true });
      timer = clock.setTimeout(tick, housekeepingPeriodMs);
      try {
        while (!signal.aborted) {
          woken = false;
          if (await step()) continue;
          if (woken || signal.aborted) continue;
          await new Promise<void>((resolve) => {
            wakeUp = resolve;
          });
          wakeUp = undefined;
        }
      } finally {
        timer?.cancel();
        signal.removeEventListener('abort', wake);
        config.onOffer = undefined;
        podEvents.onOffer = undefined;
        workQueue.onDue = undefined;
      }
    },
  };
}
