import { isObject } from '@nodeagent/api/helpers';
import { type CelField, type CelType, celTypes } from '../cel/types.js';
import type { Schema } from './schema.js';

/** Maximum size of a request, which bounds what has no maximum. */
const maxRequestBytes = 3 * 1024 * 1024;

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return'.split(' '),
);

const escapes: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** The name of a field in expressions; undefined if expressions cannot refer to it. Kubernetes documentation, "Validation rules: Escaping". */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => escapes[part] as string);
}

const textSizes: Readonly<Record<string, number>> = { date: 12, 'date-time': 36 };

/** The type of the values of a schema in expressions. Kubernetes documentation, "Validation rules: Type checking". */
export function celTypeOf(schema: Schema, isResource = false): CelType {
  if (schema['x-kubernetes-int-or-string']) return { kind: 'dyn', maxSize: schema.maxLength ?? maxRequestBytes };
  switch (schema.type) {
    case 'boolean':
      return celTypes.bool;
    case 'integer':
      return celTypes.int;
    case 'number':
      return celTypes.double;
    case 'string':
      return textType(schema);
    case 'array': {
      const element = schema.items ? celTypeOf(schema.items, schema.items['x-kubernetes-embedded-resource']) : celTypes.dyn;
      const merge = mergeOf(schema);
      return { kind: 'list', element, maxSize: maxItemsOf(schema), ...(merge && { merge }) };
    }
    case 'object':
      return objectType(schema, isResource || schema['x-kubernetes-embedded-resource'] === true);
    default:
      return celTypes.dyn;
  }
}

function mergeOf(schema: Schema): 'set' | readonly string[] | undefined {
  const listType = schema['x-kubernetes-list-type'];
  return listType === 'set' ? 'set' : listType === 'map' ? schema['x-kubernetes-list-map-keys'] : undefined;
}

function textType({ format, maxLength, enum: values }: Schema): CelType {
  const kind =
    format === 'byte' ? 'bytes' : format === 'date' || format === 'date-time' ? 'timestamp' : format === 'duration' ? 'duration' : 'string';
  // A character has up to four bytes.
  const longest = maxLength === undefined ? maxRequestBytes : maxLength * 4;
  const longestValue = values ? Math.max(0, ...values.map((value) => (typeof value === 'string' ? value.length : 0))) : longest;
  return { kind, maxSize: textSizes[format ?? ''] ?? Math.min(longest, longestValue) };
}

/** Maximum number of elements: the declared one, or that of a request full of the smallest ones. */
export function maxItemsOf({ maxItems, items }: Schema): number {
  return maxItems ?? Math.floor((maxRequestBytes - 2) / (minBytes(items) + 1));
}

/** Maximum number of entries of a map. */
export function maxEntriesOf({ maxProperties, additionalProperties }: Schema): number {
  const value = isObject(additionalProperties) ? (additionalProperties as Schema) : undefined;
  return maxProperties ?? Math.floor((maxRequestBytes - 2) / (minBytes(value) + 6));
}

/** The least number of bytes of a value in JSON. */
function minBytes(schema: Schema | undefined): number {
  switch (schema?.type) {
    case 'boolean':
      return 4;
    case 'string':
    case 'array':
      return 2;
    case 'object': {
      const needed = (schema.required ?? []).map((name) => name.length + 4 + minBytes(schema.properties?.[name]));
      return needed.reduce((sum, bytes) => sum + bytes, 2);
    }
    default:
      return 1;
  }
}

function objectType(schema: Schema, isResource: boolean): CelType {
  if (isObject(schema.additionalProperties)) {
    const value = schema.additionalProperties as Schema;
    return { kind: 'map', key: { kind: 'string', maxSize: maxRequestBytes }, value: celTypeOf(value), maxSize: maxEntriesOf(schema) };
  }
  const fields = new Map<string, CelField>(isResource ? resourceFields : []);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(name);
    if (escaped !== undefined && !(isResource && name === 'metadata')) fields.set(escaped, { jsonName: name, type: celTypeOf(property) });
  }
  return { kind: 'object', name: 'object', fields, maxSize: maxRequestBytes };
}

const text: CelType = { kind: 'string', maxSize: maxRequestBytes };
const metadata: CelType = {
  kind: 'object',
  name: 'objectMeta',
  fields: new Map(['name', 'generateName'].map((name): [string, CelField] => [name, { jsonName: name, type: text }])),
};

/** The fields of every object that expressions can read. */
const resourceFields: readonly [string, CelField][] = [
  ['apiVersion', { jsonName: 'apiVersion', type: text }],
  ['kind', { jsonName: 'kind', type: text }],
  ['metadata', { jsonName: 'metadata', type: metadata }],
];
