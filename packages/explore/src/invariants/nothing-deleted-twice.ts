import type { ControllerWrite, Invariant } from '../run.js';

/** No object is deleted more often than in the undisturbed run, such as one that a user created again, unless the controller itself created it again. */
export const nothingDeletedTwice: Invariant = {
  name: 'nothing is deleted twice',
  check(run, undisturbed) {
    const usual = deletions(undisturbed.writes);
    const created = counted(run.writes, 'create');
    for (const [object, count] of deletions(run.writes)) {
      const expected = Math.max(usual.get(object) ?? 1, created.get(object) ?? 0);
      if (count > expected) return `${object} was deleted ${count} times, the undisturbed run deletes it ${usual.get(object) ?? 0} times`;
    }
    return undefined;
  },
};

const deletions = (writes: readonly ControllerWrite[]) => counted(writes, 'delete');

/** The number of objects that were created or deleted, by resource and name; a second request for the same object counts once. */
function counted(writes: readonly ControllerWrite[], wanted: 'create' | 'delete'): Map<string, number> {
  const uids = new Map<string, Set<string>>();
  for (const { verb, resource, namespace, name, status, object } of writes) {
    if (verb !== wanted || status >= 300) continue;
    const key = `${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    uids.set(key, (uids.get(key) ?? new Set()).add(uidOf(object) ?? `${uids.get(key)?.size ?? 0}`));
  }
  return new Map([...uids].map(([key, each]) => [key, each.size]));
}

/** The UID of a deleted object, which the answer has as an object or as a Status. */
function uidOf(answer: ControllerWrite['object']): string | undefined {
  return answer?.metadata?.uid ?? (answer as { details?: { uid?: string } } | undefined)?.details?.uid;
}
