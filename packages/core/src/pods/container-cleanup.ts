import type { Clock, Logger, PodCache, PodWorkers, ReclaimingRuntime, Runtime, Timer } from '@nodeagent/api';

/** Removes containers and sandboxes that nobody needs any more. */
export interface ContainerCleanup {
  start(): void;
  /** Resolves when nothing is being removed any more. */
  stop(): Promise<void>;
  /** Collects shortly, once: a pod has ended for good. */
  soon(): void;
  /** Collects now, after a collection that may be under way. Never rejects. */
  collect(): Promise<void>;
  /** A container of the pod ended: dead ones of its name beyond those to keep can go. */
  containerDied(podUid: string, containerId: string): void;
}

export interface ContainerCleanupOptions {
  runtime: Pick<Runtime, 'garbageCollect'>;
  reclaiming: Pick<ReclaimingRuntime, 'deleteDeadContainers'>;
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

/** Collects every `periodMs`, and sooner when told to; one collection at a time. */
export function createContainerCleanup(options: ContainerCleanupOptions): ContainerCleanup {
  const { runtime, reclaiming, podCache, podWorkers, allSourcesReady, clock, logger, periodMs } = options;
  let timer: Timer | undefined;
  let due = Number.POSITIVE_INFINITY;
  let running = false;
  let collections: Promise<void> = Promise.resolve();
  const removals = new Set<Promise<void>>();

  const schedule = (delay: number) => {
    const at = clock.monotonic() + delay;
    if (!running || at >= due) return;
    due = at;
    timer?.cancel();
    timer = clock.setTimeout(() => void collectDue(), delay);
  };
  const collectDue = async () => {
    due = Number.POSITIVE_INFINITY;
    await collect();
    schedule(periodMs);
  };
  const collect = () => {
    collections = collections.then(async () => {
      try {
        await runtime.garbageCollect(allSourcesReady());
      } catch (error) {
        logger.warn({ err: error }, 'collecting dead containers');
      }
    });
    return collections;
  };
  const deleteDead = async (podUid: string, containerId: string) => {
    try {
      await reclaiming.deleteDeadContainers(podCache.get(podUid), containerId, podWorkers.shouldPodContentBeRemoved(podUid));
    } catch (error) {
      logger.debug({ podUID: podUid, err: error }, 'dead containers wait for the next collection');
    }
  };

  return {
    start() {
      running = true;
      schedule(periodMs);
    },
    async stop() {
      running = false;
      timer?.cancel();
      await Promise.all([collections, ...removals]);
    },
    soon: () => schedule(soonMs),
    collect,
    containerDied(podUid, containerId) {
      if (!running || removals.size >= mostRemovals) return;
      const removal = deleteDead(podUid, containerId).finally(() => removals.delete(removal));
      removals.add(removal);
    },
  };
}
