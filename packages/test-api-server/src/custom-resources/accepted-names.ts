import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import { type DefinitionCondition, type DefinitionNames, definitionStorage, specOf, statusOf } from './definition-spec.js';

/** The names that a definition may use, and its condition NamesAccepted. Kubernetes API reference, "CustomResourceDefinitionStatus". */
export function acceptedNames(
  definition: ApiObject,
  { store, registry }: ApiContext,
): { names: DefinitionNames; condition: Omit<DefinitionCondition, 'lastTransitionTime'> } {
  const { group = '', names: wanted = {} } = specOf(definition);
  const { name: own } = definition.metadata;
  const before = statusOf(definition).acceptedNames ?? {};
  const others: DefinitionNames[] = [
    ...store
      .list(definitionStorage)
      .filter((each) => each.metadata.name !== own && specOf(each).group === group)
      .map((each) => statusOf(each).acceptedNames ?? {}),
    ...registry
      .list()
      .filter((each) => each.group === group && !each.custom)
      .map(({ resource, singular, kind, listKind, shortNames }) => ({
        plural: resource,
        singular,
        kind,
        listKind,
        shortNames: [...shortNames],
      })),
  ];
  const resources = new Set(others.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames].filter(Boolean)));
  const kinds = new Set(others.flatMap(({ kind, listKind }) => [kind, listKind].filter(Boolean)));
  const conflicts: [reason: string, name: string][] = [];
  const names: DefinitionNames = {};
  const accept = (field: 'plural' | 'singular' | 'kind' | 'listKind', reason: string, taken: ReadonlySet<string | undefined>) => {
    const value = wanted[field];
    const isTaken = value !== undefined && taken.has(value);
    if (isTaken) conflicts.push([reason, value]);
    const accepted = isTaken ? before[field] : value;
    if (accepted) names[field] = accepted;
  };
  accept('plural', 'PluralConflict', resources);
  accept('singular', 'SingularConflict', resources);
  const shortConflicts = (wanted.shortNames ?? []).filter((each) => resources.has(each));
  conflicts.push(...shortConflicts.map((each): [string, string] => ['ShortNamesConflict', each]));
  const shortNames = shortConflicts.length > 0 ? before.shortNames : wanted.shortNames;
  if (shortNames) names.shortNames = shortNames;
  accept('kind', 'KindConflict', kinds);
  accept('listKind', 'ListKindConflict', kinds);
  if (wanted.categories) names.categories = wanted.categories;
  names.plural ??= '';
  names.kind ??= '';
  return { names, condition: namesCondition(conflicts) };
}

function namesCondition(conflicts: readonly [reason: string, name: string][]): Omit<DefinitionCondition, 'lastTransitionTime'> {
  const [first] = conflicts;
  if (!first) return { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const messages = conflicts.map(([, name]) => `${JSON.stringify(name)} is already in use`);
  const reason = conflicts.length > 1 ? 'MultipleNamesNotAllowed' : first[0];
  return {
    type: 'NamesAccepted',
    status: 'False',
    reason,
    message: messages.length > 1 ? `[${messages.join(', ')}]` : (messages[0] ?? ''),
  };
}
