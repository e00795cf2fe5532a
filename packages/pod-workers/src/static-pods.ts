/** The static pods of one full name: at most one may run at a time, in the order in which they were heard of. */
export interface StaticPodQueue {
  /** The UID that was let in and has not finished. */
  readonly started?: string;
  /** UIDs in the order of their first update. */
  readonly waiting: readonly string[];
}

/**
 * Whether it is this static pod's turn, and the queue after the question. `isLeaving` tells of a UID that it has been forgotten or
 * is to end: it does not hold up those behind it.
 */
export function canStartStaticPod(
  queue: StaticPodQueue,
  uid: string,
  isLeaving: (uid: string) => boolean,
): { canStart: boolean; queue: StaticPodQueue } {
  if (queue.started !== undefined) return { canStart: queue.started === uid, queue };
  const next = queue.waiting.findIndex((waiting) => !isLeaving(waiting));
  if (next >= 0 && queue.waiting[next] !== uid) return { canStart: false, queue: { waiting: queue.waiting.slice(next) } };
  return { canStart: true, queue: { started: uid, waiting: next < 0 ? queue.waiting : queue.waiting.slice(next + 1) } };
}
