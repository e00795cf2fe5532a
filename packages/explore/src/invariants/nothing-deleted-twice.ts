import type { ControllerWrite, Invariant } from '../run.js';

/** No object is deleted more often than in the undisturbed run, such as one that was created again. */
export const nothingDeletedTwice: Invariant = {
  name: 'nothing is deleted twice',
  check(run, undisturbed) {
    const usual = deletions(undisturbed.writes);
    for (const [object, count] of deletions(run.writes)) {
      const expected = usual.get(object) ?? 1;
      if (count > expected) return `${object} was deleted ${count} times, the undisturbed run deletes it ${usual.get(object) ?? 0} times`;
    }
    return undefined;
  },
};

/** The number of successful deletions by resource and name; a second request for the same object counts once. */
function deletions(writes: readonly ControllerWrite[]): Map<string, number> {
  const uids = new Map<string, Set<string>>();
  for (const { verb, resource, namespace, name, status, object } of writes) {
    if (verb !== 'delete' || status >= 300) continue;
    const key = `${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    uids.set(key, (uids.get(key) ?? new Set()).add(uidOf(object) ?? `${uids.get(key)?.size ?? 0}`));
  }
  return new Map([...uids].map(([key, each]) => [key, each.size]));
}

/** The UID of a deleted object, which the answer has as an object or as a Status. */
function uidOf(answer: ControllerWrite['object']): string | undefined {
  return answer?.metadata?.uid ?? (answer as { details?: { uid?: string } } | undefined)?.details?.uid;
}
