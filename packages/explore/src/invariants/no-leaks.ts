import type { EndObject, Invariant, Run } from '../run.js';

/**
 * No object is left that the controller created and nothing owns, once no object is left of the kinds that the controller reads but does not
 * create.
 */
export const noLeaks: Invariant = {
  name: 'no object leaks',
  check(run) {
    const uids = new Set(run.end.map(({ object }) => object.metadata?.uid));
    const created = new Set(run.writes.filter(({ verb }) => verb === 'create').map(({ object }) => object?.metadata?.uid));
    const orphaned = ({ object }: EndObject) => !(object.metadata?.ownerReferences ?? []).some(({ uid }) => uids.has(uid));
    const leaked = run.end.filter((each) => created.has(each.object.metadata?.uid) && orphaned(each));
    if (leaked.length === 0 || hasPrimaries(run)) return undefined;
    const names = leaked.map(({ resource, object }) => `${resource} ${object.metadata?.name}`);
    return `nothing is left that needs ${names.join(', ')}`;
  },
};

/** Whether objects are left of the kinds that the controller reads but does not create; a controller that reads none needs none. */
function hasPrimaries({ operations, end }: Run): boolean {
  const created = new Set(operations.filter(({ verb }) => verb === 'create').map(({ resource }) => resource));
  const primaries = new Set(operations.map(({ resource }) => resource).filter((resource) => !created.has(resource)));
  return primaries.size === 0 || end.some(({ resource }) => primaries.has(resource));
}
