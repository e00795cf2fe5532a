import { type Logger, type Pod, podUid } from '@nodeagent/api';
import type { AllocationStore } from './allocation-store.js';
import { allocationOf, type PodAllocation, updatePodFromAllocation } from './pod-allocation.js';

/** The allocations of all pods, in memory and in the store. */
export interface SavedAllocations {
  /** Loads the stored allocations once; await it before any other call. Never rejects. */
  load(): Promise<void>;
  has(podUid: string): boolean;
  /** The pod with its allocated resources; the same object if it has no allocation. */
  apply(pod: Pod): Pod;
  /** Allocates the resources that the pod's spec requests. */
  grant(pod: Pod): void;
  delete(podUid: string): void;
  /** Removes the pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
  /** Resolves when all changes so far are saved or saving has failed. Never rejects. */
  saved(): Promise<void>;
}

/** Saves run one at a time, only the newest state is pending, and unchanged state is not written. */
export function createSavedAllocations(store: AllocationStore | undefined, logger: Logger): SavedAllocations {
  const allocations = new Map<string, PodAllocation>();
  let loading: Promise<void> | undefined;
  let saving: Promise<void> | undefined;
  let dirty = false;

  const load = async () => {
    try {
      for (const [uid, allocation] of Object.entries((await store?.load()) ?? {})) allocations.set(uid, allocation);
    } catch (error) {
      logger.error({ err: error }, 'cannot read the stored allocations, using the pod specs');
    }
  };
  const save = async () => {
    while (dirty && store) {
      dirty = false;
      try {
        await store.save(Object.fromEntries(allocations));
      } catch (error) {
        logger.error({ err: error }, 'cannot save the allocations');
      }
    }
    saving = undefined;
  };
  const changed = () => {
    dirty = true;
    saving ??= Promise.resolve().then(save);
  };
  const remove = (uid: string) => {
    if (allocations.delete(uid)) changed();
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
    grant(pod) {
      const before = allocations.get(podUid(pod));
      if (before && updatePodFromAllocation(pod, before) === pod) return;
      allocations.set(podUid(pod), allocationOf(pod));
      changed();
    },
    delete: remove,
    retain(known) {
      for (const uid of [...allocations.keys()]) if (!known.has(uid)) remove(uid);
    },
    saved: async () => saving,
  };
}
