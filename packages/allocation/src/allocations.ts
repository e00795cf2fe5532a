import { type Logger, type Pod, podUid } from '@nodeagent/api';
import type { AllocationStore } from './allocation-store.js';
import { allocationOf, type PodAllocation, updatePodFromAllocation } from './pod-allocation.js';

/** What each pod was granted, in memory and in the store. */
export interface SavedAllocations {
  /** Reads what was saved, once; to be awaited before anything else is asked. Never rejects. */
  load(): Promise<void>;
  has(podUid: string): boolean;
  /** The pod with what it was granted; as it is if it was granted nothing. */
  apply(pod: Pod): Pod;
  /** Grants the pod what its spec asks for. */
  grant(pod: Pod): void;
  delete(podUid: string): void;
  /** Forgets the pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
  /** Resolves when everything so far is saved, or could not be. Never rejects. */
  saved(): Promise<void>;
}

/** Saves run one at a time and only the newest state waits; nothing is written that did not change. */
export function createSavedAllocations(store: AllocationStore | undefined, logger: Logger): SavedAllocations {
  const allocations = new Map<string, PodAllocation>();
  let loading: Promise<void> | undefined;
  let saving: Promise<void> | undefined;
  let dirty = false;

  const load = async () => {
    try {
      for (const [uid, allocation] of Object.entries((await store?.load()) ?? {})) allocations.set(uid, allocation);
    } catch (error) {
      logger.error({ err: error }, 'cannot read the resources granted to pods, going by their specs');
    }
  };
  const save = async () => {
    while (dirty && store) {
      dirty = false;
      try {
        await store.save(Object.fromEntries(allocations));
      } catch (error) {
        logger.error({ err: error }, 'cannot save the resources granted to pods');
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
