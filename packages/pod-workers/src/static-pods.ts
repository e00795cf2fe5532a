/** The static pods with one full name: at most one runs at a time, in the order of their first update. */
export interface StaticPodQueue {
  /** UID of the pod that was started and has not finished. */
  readonly started?: string;
  /** UIDs in the order of their first update. */
  readonly waiting: readonly string[];
}

/**
 * Whether this static pod may start, and the updated queue. `isTerminatingOrRemoved` returns whether a waiting pod was removed or is terminating; such a
 * pod does not block the others.
 */
export function canStartStaticPod(
  queue: StaticPodQueue,
  uid: string,
  isTerminatingOrRemoved: (uid: string) => boolean,
): { canStart: boolean; queue: StaticPodQueue } {
  if (queue.started !== undefined) return { canStart: queue.started === uid, queue };
  const next = queue.waiting.findIndex((waiting) => !isTerminatingOrRemoved(waiting));
  if (next >= 0 && queue.waiting[next] !== uid) return { canStart: false, queue: { waiting: queue.waiting.slice(next) } };
  return { canStart: true, queue: { started: uid, waiting: next < 0 ? queue.waiting : queue.waiting.slice(next + 1) } };
}
