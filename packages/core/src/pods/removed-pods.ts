import type { Pod, PodStatus } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';

/** Removed pods whose cleanup is pending. */
export interface RemovedPods {
  /** `status` is the last one so far. */
  add(pod: Pod, status: PodStatus | undefined): void;
  /** Ignored unless the pod was removed. */
  setStatus(podUid: string, status: PodStatus): void;
  /** Called when a source adds the pod again. */
  delete(podUid: string): void;
  get(podUid: string): Pod | undefined;
  /** The last status, which the status manager forgets before the pod is cleaned up. */
  lastStatus(podUid: string): PodStatus | undefined;
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

interface RemovedPod {
  readonly pod: Pod;
  status: PodStatus | undefined;
  ended: boolean;
}

export function createRemovedPods({ isObserved, onEnded, onRemoved }: RemovedPodsOptions): RemovedPods {
  const removedPods = new Map<string, RemovedPod>();
  return {
    add: (pod, status) => void removedPods.set(podUid(pod), { pod, status, ended: false }),
    setStatus(uid, status) {
      const removed = removedPods.get(uid);
      if (removed) removed.status = status;
    },
    delete: (uid) => void removedPods.delete(uid),
    get: (uid) => removedPods.get(uid)?.pod,
    lastStatus: (uid) => removedPods.get(uid)?.status,
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
