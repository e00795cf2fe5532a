import { type Pod, podUid } from '@nodeagent/api';

/** The pods that were removed from the sources and of which something is left. */
export interface LeavingPods {
  add(pod: Pod): void;
  /** The pod is wanted again. */
  delete(podUid: string): void;
  get(podUid: string): Pod | undefined;
  pods(): Iterable<Pod>;
  /** Told which pods are wanted, worked on, running or have files: of others only dead containers can be left. */
  retain(known: ReadonlySet<string>): void;
}

export interface LeavingPodsOptions {
  /** Whether the runtime still has anything of the pod. */
  isObserved(podUid: string): boolean;
  /** Called once: the pod has ended, its dead containers can go. */
  onEnded(podUid: string): void;
  /** Called once: nothing is left of the pod. */
  onRemoved(pod: Pod): void;
}

export function createLeavingPods({ isObserved, onEnded, onRemoved }: LeavingPodsOptions): LeavingPods {
  const leaving = new Map<string, { pod: Pod; ended: boolean }>();
  return {
    add: (pod) => void leaving.set(podUid(pod), { pod, ended: false }),
    delete: (uid) => void leaving.delete(uid),
    get: (uid) => leaving.get(uid)?.pod,
    pods: () => Array.from(leaving.values(), ({ pod }) => pod),
    retain(known) {
      for (const [uid, entry] of leaving) {
        if (known.has(uid)) continue;
        if (!entry.ended) onEnded(uid);
        entry.ended = true;
        if (isObserved(uid)) continue;
        leaving.delete(uid);
        onRemoved(entry.pod);
      }
    },
  };
}
