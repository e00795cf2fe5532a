import {
  type Clock,
  errorMessage,
  type Logger,
  type PodCache,
  type PodRuntimeStatus,
  type PodWorkers,
  type Runtime,
  type Timer,
} from '@nodeagent/api';

/** Removes containers and sandboxes that nobody needs any more. */
export interface ContainerCleanup {
  start(): void;
  stop(): void;
  /** Collects shortly, once: a pod has ended for good. */
  soon(): void;
  /** A container of the pod ended: dead ones of its name beyond those to keep can go. */
  containerDied(podUid: string, containerId: string): void;
}

export interface ContainerCleanupOptions {
  runtime: Pick<Runtime, 'garbageCollect'> & {
    deleteDeadContainers?(status: PodRuntimeStatus, diedContainerId: string, removeAll: boolean): Promise<void>;
  };
  podCache: Pick<PodCache, 'get'>;
  podWorkers: Pick<PodWorkers, 'shouldPodContentBeRemoved'>;
  allSourcesReady(): boolean;
  clock: Clock;
  logger: Logger;
  periodMs: number;
}

/** Removals of dead containers that may run at once; more wait for the next collection, which finds them anyway. */
const mostRemovals = 50;
/** From the end of a pod to the collection, so that pods that end together are collected together. */
const soonMs = 1_000;

export function createContainerCleanup(options: ContainerCleanupOptions): ContainerCleanup {
  const { runtime, podCache, podWorkers, allSourcesReady, clock, logger, periodMs } = options;
  let timer: Timer | undefined;
  let due = Number.POSITIVE_INFINITY;
  let running = false;
  let removals = 0;

  const schedule = (delay: number) => {
    const at = clock.monotonic() + delay;
    if (!running || at >= due) return;
    due = at;
    timer?.cancel();
    timer = clock.setTimeout(collect, delay);
  };
  const collect = async () => {
    due = Number.POSITIVE_INFINITY;
    try {
      await runtime.garbageCollect(allSourcesReady());
    } catch (error) {
      logger.warn({ error }, `collecting dead containers: ${errorMessage(error)}`);
    }
    schedule(periodMs);
  };

  return {
    start() {
      running = true;
      schedule(periodMs);
    },
    stop() {
      running = false;
      timer?.cancel();
    },
    soon: () => schedule(soonMs),
    containerDied(podUid, containerId) {
      if (runtime.deleteDeadContainers === undefined || removals >= mostRemovals) return;
      removals++;
      void deleteDead(podUid, containerId).finally(() => {
        removals--;
      });
    },
  };

  async function deleteDead(podUid: string, containerId: string): Promise<void> {
    let status: PodRuntimeStatus;
    try {
      status = podCache.get(podUid);
    } catch (error) {
      logger.debug({ podUid }, `dead containers wait for the next collection: ${errorMessage(error)}`);
      return;
    }
    await runtime.deleteDeadContainers?.(status, containerId, podWorkers.shouldPodContentBeRemoved(podUid));
  }
}
