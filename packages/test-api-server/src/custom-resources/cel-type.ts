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

/** Maximum length of a text, without its quotes. */
const maxTextBytes = maxRequestBytes - 2;
/** Lengths of formats in JSON. */
const textSizes: Readonly<Record<string, number>> = { date: 12, 'date-time': 32, duration: 32 };

/** Scalars have no size that estimations of costs count. */
const sizeless = { maxSize: 0 };

/**
 * The type of the values of a schema in expressions; undefined for a schema without a type, which expressions cannot read. Kubernetes
 * documentation, "Validation rules: Type checking".
 */
export function celTypeOf(schema: Schema, isResource = false): CelType | undefined {
  if (schema['x-kubernetes-int-or-string']) return { kind: 'dyn', maxSize: maxTextSize(schema) };
  switch (schema.type) {
    case 'boolean':
      return { ...celTypes.bool, ...sizeless };
    case 'integer':
      return { ...celTypes.int, ...sizeless };
    case 'number':
      return { ...celTypes.double, ...sizeless };
    case 'string':
      return textType(schema);
    case 'array': {
      const element = schema.items && celTypeOf(schema.items, schema.items['x-kubernetes-embedded-resource']);
      if (element === undefined) return undefined;
      const merge = mergeOf(schema);
      return { kind: 'list', element, maxSize: maxItemsOf(schema), ...(merge && { merge }) };
    }
    case 'object':
      return objectType(schema, isResource || schema['x-kubernetes-embedded-resource'] === true);
    default:
      return undefined;
  }
}

function mergeOf(schema: Schema): 'set' | readonly string[] | undefined {
  const listType = schema['x-kubernetes-list-type'];
  return listType === 'set' ? 'set' : listType === 'map' ? schema['x-kubernetes-list-map-keys'] : undefined;
}

/** A character has up to four bytes. */
const maxTextSize = ({ maxLength }: Schema) => (maxLength === undefined ? maxTextBytes : Math.max(0, maxLength) * 4);

function textType(schema: Schema): CelType {
  const { format = '', maxLength, enum: values = [] } = schema;
  const kind =
    format === 'byte' ? 'bytes' : format === 'date' || format === 'date-time' ? 'timestamp' : format === 'duration' ? 'duration' : 'string';
  if (kind === 'bytes') return { kind, maxSize: maxLength ?? maxTextBytes };
  if (kind !== 'string' || maxLength !== undefined || values.length === 0)
    return { kind, maxSize: textSizes[format] ?? maxTextSize(schema) };
  return { kind, maxSize: Math.max(...values.map((value) => (typeof value === 'string' ? value.length : 0))) };
}

/** Maximum number of elements: the declared one, or that of a request full of the smallest ones. */
function maxItemsOf({ maxItems, items }: Schema): number {
  return maxItems ?? Math.floor(maxTextBytes / (minBytes(items) + 1));
}

/** Maximum number of entries of a map. */
function maxEntriesOf({ maxProperties, additionalProperties }: Schema): number {
  const value = isObject(additionalProperties) ? (additionalProperties as Schema) : undefined;
  return maxProperties ?? Math.floor(maxTextBytes / (minBytes(value) + 6));
}

const minTextBytes: Readonly<Record<string, number>> = { date: 12, 'date-time': 21, duration: 3 };

/** How many values of a schema an object can have at most, if nothing limits their number. */
export const maxCardinality = (schema: Schema) => Math.floor(maxRequestBytes / (minBytes(schema) + 1));

/** The least number of bytes of a value in JSON. */
function minBytes(schema: Schema | undefined): number {
  switch (schema?.type) {
    case 'boolean':
      return 4;
    case 'string':
      return minTextBytes[schema.format ?? ''] ?? 2;
    case 'array':
      return 2;
    case 'object': {
      const needed = Object.entries(schema.properties ?? {})
        .filter(([name, { default: value }]) => schema.required?.includes(name) && value === undefined)
        .map(([name, part]) => name.length + 4 + minBytes(part));
      return needed.reduce((sum, bytes) => sum + bytes, 2);
    }
    default:
      return 1;
  }
}

function objectType(schema: Schema, isResource: boolean): CelType | undefined {
  if (isObject(schema.additionalProperties)) {
    const open = schema.additionalProperties as Schema;
    const value = celTypeOf(open, open['x-kubernetes-embedded-resource']);
    return value && { kind: 'map', key: { ...celTypes.string, ...sizeless }, value, maxSize: maxEntriesOf(schema) };
  }
  const fields = new Map<string, CelField>(isResource ? resourceFields : []);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(name);
    const type =
      escaped === undefined || (isResource && name === 'metadata')
        ? undefined
        : celTypeOf(property, property['x-kubernetes-embedded-resource']);
    if (escaped !== undefined && type) fields.set(escaped, { jsonName: name, type });
  }
  return { kind: 'object', name: 'object', fields, ...sizeless };
}

const text: CelType = { kind: 'string', maxSize: maxTextBytes };
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
