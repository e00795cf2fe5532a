import {
  type Clock,
  type Logger,
  type PodCache,
  type PodWorkers,
  type ReclaimingRuntime,
  type Runtime,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
import { completeSettings, type GivenSettings } from '@nodeagent/api/helpers';
import { containerGcSettings } from '../settings.js';

/** Removes dead containers and sandboxes: the kubelet's container garbage collection. */
export interface ContainerGc {
  /** Idempotent. */
  start(): void;
  /** Resolves when no removal is in progress. */
  stop(): Promise<void>;
  /** Requests a collection in 1 s, after a pod has terminated. Further requests until then are part of the same collection. */
  requestCollection(): void;
  /** Collects now, after a collection in progress. Never rejects. */
  collect(): Promise<void>;
  /** Call it when a container of the pod has died: removes the dead instances of its name beyond `maxPerPodContainer`. */
  containerDied(podUid: string, containerId: string): void;
}

export interface ContainerGcOptions extends GivenSettings<typeof containerGcSettings> {
  runtime: Pick<Runtime, 'garbageCollect'>;
  reclaiming: Pick<ReclaimingRuntime, 'deleteDeadContainers'>;
  podCache: Pick<PodCache, 'get'>;
  podWorkers: Pick<PodWorkers, 'shouldPodContentBeRemoved'>;
  /** Whether every pod source has reported; until then sandboxes of unknown pods are kept. */
  allSourcesReady(): boolean;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
}

/** Maximum number of concurrent removals; the next collection removes the rest. */
const maxRemovals = 50;
/** Delay from a request to the collection, in milliseconds: pods that terminate together are collected together. */
const collectionDelayMs = 1_000;

/**
 * Collects every `containerGCPeriodMs`, and sooner on request; one collection at a time. Throws `InvalidOption` if the period is not a
 * positive number.
 */
export function createContainerGc(options: ContainerGcOptions): ContainerGc {
  const { runtime, reclaiming, podCache, podWorkers, allSourcesReady } = options;
  const { clock = systemClock, logger = silentLogger } = options;
  const { containerGCPeriodMs } = completeSettings(containerGcSettings, options, '');
  let timer: Timer | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let running = false;
  let collections: Promise<void> = Promise.resolve();
  const removals = new Set<Promise<void>>();

  const schedule = (delayMs: number) => {
    const at = clock.monotonic() + delayMs;
    if (!running || at >= dueAt) return;
    dueAt = at;
    timer?.cancel();
    timer = clock.setTimeout(() => void collectDue(), delayMs);
  };
  const collectDue = async () => {
    dueAt = Number.POSITIVE_INFINITY;
    await collect();
    schedule(containerGCPeriodMs);
  };
  const collect = () => {
    collections = collections.then(async () => {
      try {
        await runtime.garbageCollect(allSourcesReady());
      } catch (error) {
        logger.warn({ err: error }, 'container garbage collection failed');
      }
    });
    return collections;
  };
  const deleteDead = async (podUid: string, containerId: string) => {
    try {
      await reclaiming.deleteDeadContainers(podCache.get(podUid), containerId, podWorkers.shouldPodContentBeRemoved(podUid));
    } catch (error) {
      logger.debug({ podUID: podUid, err: error }, 'cannot remove dead containers, retrying at the next collection');
    }
  };

  return {
    start() {
      running = true;
      schedule(containerGCPeriodMs);
    },
    async stop() {
      running = false;
      timer?.cancel();
      await Promise.all([collections, ...removals]);
    },
    requestCollection: () => schedule(collectionDelayMs),
    collect,
    containerDied(podUid, containerId) {
      if (!running || removals.size >= maxRemovals) return;
      const removal = deleteDead(podUid, containerId).finally(() => removals.delete(removal));
      removals.add(removal);
    },
  };
}
