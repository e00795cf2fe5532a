import { isObject } from '@nodeagent/api';

/**
 * A set of fields as a tree. A branch is named as in `managedFields`: `f:<name>` a field, `k:<keys as JSON>` the element of a list with
 * keys, `v:<value as JSON>` that of a set. Kubernetes API reference, "FieldsV1"; Server-Side Apply, "Field management".
 */
export interface FieldSet {
  /** Whether the field itself is in the set, and not only fields within it. */
  readonly member: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

export const noFields: FieldSet = { member: false, children: new Map() };
export const wholeField: FieldSet = { member: true, children: new Map() };

export const isEmptySet = ({ member, children }: FieldSet): boolean => !member && children.size === 0;

function combine(a: FieldSet, b: FieldSet, isMember: (inA: boolean, inB: boolean) => boolean): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const name of new Set([...a.children.keys(), ...b.children.keys()])) {
    const child = combine(a.children.get(name) ?? noFields, b.children.get(name) ?? noFields, isMember);
    if (!isEmptySet(child)) children.set(name, child);
  }
  return { member: isMember(a.member, b.member), children };
}

export const unionOf = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, (inA, inB) => inA || inB);
export const intersectionOf = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, (inA, inB) => inA && inB);
export const differenceOf = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, (inA, inB) => inA && !inB);

export const equalSets = (a: FieldSet, b: FieldSet): boolean => isEmptySet(combine(a, b, (inA, inB) => inA !== inB));

/** The set as `fieldsV1` has it, its branches sorted. */
export function encodeFields({ member, children }: FieldSet): Record<string, unknown> {
  const entries = [...children].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, child]) => [name, encodeFields(child)] as const);
  return { ...(member && entries.length > 0 && { '.': {} }), ...Object.fromEntries(entries) };
}

/** The set that a `fieldsV1` means. */
export function decodeFields(fieldsV1: unknown): FieldSet {
  return { ...decodeField(fieldsV1), member: false };
}

function decodeField(fields: unknown): FieldSet {
  const entries = isObject(fields) ? Object.entries(fields) : [];
  return {
    member: entries.length === 0 || entries.some(([name]) => name === '.'),
    children: new Map(entries.filter(([name]) => name !== '.').map(([name, child]) => [name, decodeField(child)])),
  };
}

/** Every field in the set as the API server's messages write it, such as `.spec.containers[name="web"].image`. */
export function fieldPaths({ member, children }: FieldSet, path = ''): string[] {
  const within = [...children]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, child]) => fieldPaths(child, `${path}${pathElement(name)}`));
  return member ? [path, ...within] : within;
}

function pathElement(name: string): string {
  const rest = name.slice(2);
  if (name.startsWith('f:')) return `.${rest}`;
  if (name.startsWith('v:')) return `[=${rest}]`;
  const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
}
