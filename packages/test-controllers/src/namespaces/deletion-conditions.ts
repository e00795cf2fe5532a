import type { StoredObject } from '../controller-objects.js';

/** An object that is still in a terminating namespace. */
export interface RemainingObject {
  /** Group and plural: `/pods`, `apps/deployments`. */
  storage: string;
  object: StoredObject;
}

/** A condition of a namespace. */
export interface NamespaceCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime?: string;
}

/** The conditions of a terminating namespace by what is left in it: Kubernetes API reference, "NamespaceStatus". */
export function deletionConditions(remaining: readonly RemainingObject[]): NamespaceCondition[] {
  const kinds = counted(remaining.map(({ storage }) => storage));
  const finalizers = counted(remaining.flatMap(({ object }) => object.metadata.finalizers ?? []));
  const condition = (type: string, is: boolean, reason: string, message: string) => ({
    type,
    status: is ? 'True' : 'False',
    reason,
    message,
  });
  return [
    condition('NamespaceDeletionDiscoveryFailure', false, 'ResourcesDiscovered', 'All resources successfully discovered'),
    condition('NamespaceDeletionGroupVersionParsingFailure', false, 'ParsedGroupVersions', 'All legacy kube types successfully parsed'),
    condition(
      'NamespaceDeletionContentFailure',
      false,
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    kinds.length > 0
      ? condition(
          'NamespaceContentRemaining',
          true,
          'SomeResourcesRemain',
          `Some resources are remaining: ${kinds.map(resourceCount).join(', ')}`,
        )
      : condition('NamespaceContentRemaining', false, 'ContentRemoved', 'All content successfully removed'),
    finalizers.length > 0
      ? condition(
          'NamespaceFinalizersRemaining',
          true,
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${finalizers.map(([name, count]) => `${name} in ${count} resource instances`).join(', ')}`,
        )
      : condition('NamespaceFinalizersRemaining', false, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'),
  ];
}

/** `pods. has 2 resource instances`: the plural and the group. */
function resourceCount([storage, count]: [string, number]): string {
  const [group = '', resource = ''] = storage.split('/');
  return `${resource}.${group} has ${count} resource instances`;
}

function counted(names: readonly string[]): [name: string, count: number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
