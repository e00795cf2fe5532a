import { isObject } from '@nodeagent/api/helpers';
import type { JsonObject } from './field-schema.js';
import { decodeFields, differenceOf, encodeFields, type FieldSet, isEmptySet } from './field-set.js';

/** A field manager with its operation: one entry of `metadata.managedFields`. */
export interface Manager {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource?: string;
}

export interface ManagedFields extends Manager {
  /** Time of the entry's last change, in the format of the API. */
  time?: string;
  fields: FieldSet;
}

/** Whether two entries are the same manager. An applier stays the same when it uses another API version. */
export function isSameManager(a: Manager, b: Manager): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    (a.subresource ?? '') === (b.subresource ?? '') &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  );
}

/** Fields without managers: the object's identity and the API server's fields. */
const unmanaged = decodeFields({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    ...Object.fromEntries(
      ['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'generation', 'managedFields', 'resourceVersion'].map((name) => [
        `f:${name}`,
        {},
      ]),
    ),
  },
});

const managedParts = new WeakMap<FieldSet, FieldSet>();

export function withoutUnmanaged(fields: FieldSet): FieldSet {
  const known = managedParts.get(fields);
  if (known) return known;
  const managed = differenceOf(fields, unmanaged);
  managedParts.set(fields, managed);
  return managed;
}

export function managedFieldsOf(object: JsonObject | undefined): ManagedFields[] {
  const entries = isObject(object?.metadata) ? object.metadata.managedFields : undefined;
  return (Array.isArray(entries) ? entries : []).filter(isObject).flatMap((entry) => {
    const { manager = '', operation, apiVersion = '', subresource, time, fieldsV1 } = entry;
    if (operation !== 'Apply' && operation !== 'Update') return [];
    return [
      {
        manager: String(manager),
        operation,
        apiVersion: String(apiVersion),
        fields: decodeFields(fieldsV1),
        ...(typeof subresource === 'string' && subresource !== '' && { subresource }),
        ...(typeof time === 'string' && { time }),
      },
    ];
  });
}

/** The object with other managers; managers without fields are removed. */
export function withManagedFields(object: JsonObject, managers: readonly ManagedFields[]): JsonObject {
  const entries = managers
    .filter(({ fields }) => !isEmptySet(fields))
    .sort((a, b) => compareTexts(sortKey(a), sortKey(b)))
    .map(({ manager, operation, apiVersion, time, fields, subresource }) => ({
      manager,
      operation,
      apiVersion,
      ...(time !== undefined && { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: encodeFields(fields),
      ...(subresource !== undefined && { subresource }),
    }));
  const { managedFields: _, ...metadata } = isObject(object.metadata) ? object.metadata : {};
  return { ...object, metadata: { ...metadata, ...(entries.length > 0 && { managedFields: entries }) } };
}

/** The object without `managedFields`. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  return isObject(object.metadata) && object.metadata.managedFields === undefined ? object : withManagedFields(object, []);
}

const sortKey = ({ operation, time = '', manager, apiVersion, subresource = '' }: ManagedFields): string =>
  [operation, time, manager, apiVersion, subresource].join('\n');

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
