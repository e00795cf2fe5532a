import type { Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';

/** Removed pods whose cleanup is pending. */
export interface RemovedPods {
  add(pod: Pod): void;
  /** Called when a source adds the pod again. */
  delete(podUid: string): void;
  get(podUid: string): Pod | undefined;
  pods(): Iterable<Pod>;
  /** Called with the pods that are desired, have a worker, run, or have a directory. Of other pods only dead containers can remain. */
  retain(known: ReadonlySet<string>): void;
}

export interface RemovedPodsOptions {
  /** Whether the runtime still has containers or sandboxes of the pod. */
  isObserved(podUid: string): boolean;
  /** Called once: the pod has terminated, and its dead containers can be removed. */
  onEnded(podUid: string): void;
  /** Called once: the pod is cleaned up. */
  onRemoved(pod: Pod): void;
}

export function createRemovedPods({ isObserved, onEnded, onRemoved }: RemovedPodsOptions): RemovedPods {
  const removedPods = new Map<string, { pod: Pod; ended: boolean }>();
  return {
    add: (pod) => void removedPods.set(podUid(pod), { pod, ended: false }),
    delete: (uid) => void removedPods.delete(uid),
    get: (uid) => removedPods.get(uid)?.pod,
    pods: () => Array.from(removedPods.values(), ({ pod }) => pod),
    retain(known) {
      for (const [uid, entry] of removedPods) {
        if (known.has(uid)) continue;
        if (!entry.ended) onEnded(uid);
        entry.ended = true;
        if (isObserved(uid)) continue;
        removedPods.delete(uid);
        onRemoved(entry.pod);
      }
    },
  };
}
