import { isObject } from '@nodeagent/api/helpers';

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

/** Changes the first set at each branch that the second one has too; the same set if unchanged. */
function changedBy(a: FieldSet, b: FieldSet, member: boolean, change: (mine: FieldSet, its: FieldSet) => FieldSet): FieldSet {
  let children: Map<string, FieldSet> | undefined;
  for (const [name, its] of b.children) {
    const mine = a.children.get(name) ?? noFields;
    const changed = change(mine, its);
    if (changed === mine || (isEmptySet(changed) && isEmptySet(mine))) continue;
    children ??= new Map(a.children);
    if (isEmptySet(changed)) children.delete(name);
    else children.set(name, changed);
  }
  return children === undefined && member === a.member ? a : { member, children: children ?? a.children };
}

type SetOperation = (a: FieldSet, b: FieldSet) => FieldSet;

/**
 * Remembers for each first set the last second set and the result: thousands of objects have the same sets, so they get the same results, which
 * share their forms in `fieldsV1`.
 */
function remembered(operation: SetOperation): SetOperation {
  const last = new WeakMap<FieldSet, { b: FieldSet; result: FieldSet }>();
  return (a, b) => {
    if (a.children.size === 0 || b.children.size === 0) return operation(a, b);
    const known = last.get(a);
    if (known?.b === b) return known.result;
    const result = operation(a, b);
    last.set(a, { b, result });
    return result;
  };
}

export const unionOf: SetOperation = remembered((a, b) => (isEmptySet(a) ? b : changedBy(a, b, a.member || b.member, unionOf)));

export const differenceOf: SetOperation = remembered((a, b) => changedBy(a, b, a.member && !b.member, differenceOf));

export function intersectionOf(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [name, its] of b.children) {
    const mine = a.children.get(name);
    const both = mine ? intersectionOf(mine, its) : noFields;
    if (!isEmptySet(both)) children.set(name, both);
  }
  return { member: a.member && b.member, children };
}

export const equalSets = (a: FieldSet, b: FieldSet): boolean => isEmptySet(differenceOf(a, b)) && isEmptySet(differenceOf(b, a));

/** The form of a set in `fieldsV1`; objects with the same set share one. */
export type EncodedFields = Readonly<Record<string, object>>;

const leaf: EncodedFields = Object.freeze({});
const encoded = new WeakMap<FieldSet, EncodedFields>();
/** Sets of `fieldsV1` objects, which are replaced, never changed. */
const decoded = new WeakMap<object, FieldSet>();

/** The set as `fieldsV1` has it, its branches sorted. Equal branches of thousands of objects are the same set, and share what this returns. */
export function encodeFields(fields: FieldSet): EncodedFields {
  const { member, children } = fields;
  if (children.size === 0) return leaf;
  const known = encoded.get(fields);
  if (known) return known;
  const branches: Record<string, object> = member ? { '.': leaf } : {};
  for (const name of [...children.keys()].sort()) branches[name] = encodeFields(children.get(name) ?? noFields);
  encoded.set(fields, branches);
  decoded.set(branches, fields);
  return branches;
}

/** Parses `fieldsV1`. */
export function decodeFields(fieldsV1: unknown): FieldSet {
  const fields = decodeField(fieldsV1);
  return fields.member ? { member: false, children: fields.children } : fields;
}

function decodeField(fieldsV1: unknown): FieldSet {
  if (!isObject(fieldsV1)) return wholeField;
  const known = decoded.get(fieldsV1);
  if (known) return known;
  const entries = Object.entries(fieldsV1);
  if (entries.length === 0) return wholeField;
  const fields = {
    member: entries.some(([name]) => name === '.'),
    children: new Map(entries.filter(([name]) => name !== '.').map(([name, child]) => [name, decodeField(child)])),
  };
  decoded.set(fieldsV1, fields);
  return fields;
}

/** Every field in the set, in the format of the API server's messages, such as `.spec.containers[name="web"].image`. */
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
