import type { Clock, Logger, Pod, Timer } from '@nodeagent/api';
import { afterFailure, type ExponentialBackoff, podUid } from '@nodeagent/api/helpers';
import type { AllocationStore } from './allocation-store.js';
import { allocationOf, type PodAllocation, updatePodFromAllocation } from './pod-allocation.js';

/** The allocations of all pods, in memory and in the store. */
export interface SavedAllocations {
  /** Loads the stored allocations once; await it before any other call. Never rejects. */
  load(): Promise<void>;
  has(podUid: string): boolean;
  /** The pod with its allocated resources; the same object if it has no allocation. */
  apply(pod: Pod): Pod;
  /** Allocates the resources that the spec of a pod without containers requests. It applies at once. */
  add(pod: Pod): void;
  /** Allocates the resources that the pod's spec requests. Resolves when the allocation is saved, or saving has failed; it applies from then on. */
  grant(pod: Pod): Promise<void>;
  /** Resolves when the changes so far are saved, or saving has failed. Never rejects. */
  saved(): Promise<void>;
  delete(podUid: string): void;
  /** Removes the pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
  /** Tries a failed save once more, and stops retrying. Resolves when all changes so far are saved or saving has failed. Never rejects. */
  stop(): Promise<void>;
}

export interface SavedAllocationsOptions {
  store: AllocationStore | undefined;
  clock: Pick<Clock, 'setTimeout' | 'monotonic'>;
  logger: Logger;
}

/**
 * Saves run one at a time, only the newest state is pending, and unchanged state is not written. A failed save is retried after 500 ms, then after twice
 * as long each time, up to two minutes.
 */
export function createSavedAllocations({ store, clock, logger }: SavedAllocationsOptions): SavedAllocations {
  const allocations = new Map<string, PodAllocation>();
  /** Granted and not saved yet: a sync that used them could give resources that the next agent does not know of. */
  const granted = new Map<string, PodAllocation>();
  let loading: Promise<void> | undefined;
  let saving: Promise<void> | undefined;
  let dirty = false;
  let stopped = false;
  let backoff: ExponentialBackoff | undefined;
  let retry: Timer | undefined;

  const load = async () => {
    try {
      for (const [uid, allocation] of Object.entries((await store?.load()) ?? {})) allocations.set(uid, allocation);
    } catch (error) {
      logger.error({ err: error }, 'cannot read the stored allocations, using the pod specs');
    }
  };
  const save = async () => {
    while (dirty) {
      dirty = false;
      const grants = [...granted];
      try {
        await store?.save(Object.fromEntries([...allocations, ...grants]));
        backoff = undefined;
      } catch (error) {
        logger.error({ err: error }, 'cannot save the allocations');
        backoff = afterFailure(backoff, error, clock.monotonic());
      }
      for (const [uid, allocation] of grants) {
        // Removed meanwhile.
        if (granted.get(uid) !== allocation) continue;
        granted.delete(uid);
        allocations.set(uid, allocation);
      }
    }
    saving = undefined;
    if (backoff !== undefined && !stopped) retry = clock.setTimeout(changed, backoff.durationMs);
  };
  const changed = () => {
    retry?.cancel();
    retry = undefined;
    dirty = true;
    saving ??= Promise.resolve().then(save);
  };
  const saved = async () => saving;
  const remove = (uid: string) => {
    const isKnown = [allocations.delete(uid), granted.delete(uid)].includes(true);
    if (isKnown) changed();
  };

  return {
    load() {
      loading ??= load();
      return loading;
    },
    has: (uid) => allocations.has(uid),
    apply(pod) {
      const allocation = allocations.get(podUid(pod));
      return allocation ? updatePodFromAllocation(pod, allocation) : pod;
    },
    add(pod) {
      if (allocations.has(podUid(pod))) return;
      allocations.set(podUid(pod), allocationOf(pod));
      changed();
    },
    grant(pod) {
      const before = allocations.get(podUid(pod));
      if (before === undefined || updatePodFromAllocation(pod, before) !== pod) {
        granted.set(podUid(pod), allocationOf(pod));
        changed();
      }
      return saved();
    },
    saved,
    delete: remove,
    retain(known) {
      for (const uid of [...allocations.keys(), ...granted.keys()]) if (!known.has(uid)) remove(uid);
    },
    stop() {
      stopped = true;
      if (retry !== undefined) changed();
      return saved();
    },
  };
}
