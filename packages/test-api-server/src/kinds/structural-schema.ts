import { equalJson, isObject } from '@nodeagent/api/helpers';
import { copyJson } from '../copy-json.js';
import type { KindFieldProblem } from './kind-rules.js';

type Schema = Readonly<Record<string, unknown>>;

const schemaAt = (schema: Schema, field: string): Schema | undefined => {
  const properties = schema.properties as Record<string, Schema> | undefined;
  if (properties && Object.hasOwn(properties, field)) return properties[field];
  return isObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
};

const keepsUnknown = (schema: Schema) =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  schema.additionalProperties === true ||
  (schema.type === 'object' && !schema.properties && !schema.additionalProperties && schema['x-kubernetes-embedded-resource'] === true);

/** A copy of a value without the fields that are unknown to its schema ("pruning"). */
export function withoutUnknown(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return isObject(schema.items) ? value.map((item) => withoutUnknown(item, schema.items as Schema)) : value;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([field, inner]): [string, unknown][] => {
    const known = schemaAt(schema, field);
    if (known) return [[field, withoutUnknown(inner, known)]];
    const always = schema['x-kubernetes-embedded-resource'] === true && ['apiVersion', 'kind', 'metadata'].includes(field);
    return keepsUnknown(schema) || always ? [[field, inner]] : [];
  });
  return Object.fromEntries(entries);
}

/** The paths of the fields that are unknown to the schema, except apiVersion, kind and metadata of the root. */
export function unknownToSchema(value: unknown, schema: Schema, path = ''): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return isObject(items) ? value.flatMap((item, index) => unknownToSchema(item, items, `${path}[${index}]`)) : [];
  }
  if (!isObject(value)) return [];
  const always = path === '' || schema['x-kubernetes-embedded-resource'] === true;
  return Object.entries(value).flatMap(([field, inner]) => {
    if (always && ['apiVersion', 'kind', 'metadata'].includes(field)) return [];
    const at = path === '' ? field : `${path}.${field}`;
    const known = schemaAt(schema, field);
    if (known) return unknownToSchema(inner, known, at);
    return keepsUnknown(schema) ? [] : [at];
  });
}

/** A copy of a value with the defaults of its schema. */
export function withSchemaDefaults(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return isObject(schema.items) ? value.map((item) => withSchemaDefaults(item, schema.items as Schema)) : value;
  if (!isObject(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [field, inner] of Object.entries((schema.properties as Record<string, Schema> | undefined) ?? {})) {
    const absent = filled[field] === undefined || (filled[field] === null && inner.nullable !== true);
    if (absent && inner.default !== undefined) filled[field] = copyJson(inner.default);
  }
  for (const [field, inner] of Object.entries(filled)) {
    const known = schemaAt(schema, field);
    if (known) filled[field] = withSchemaDefaults(inner, known);
  }
  return filled;
}

/**
 * Validates a value by its schema, with the API's messages. Ignores the root's apiVersion, kind and metadata.
 * Kubernetes documentation, "Extend the Kubernetes API with CustomResourceDefinitions: Validation".
 */
export function schemaProblems(value: unknown, schema: Schema, field = ''): KindFieldProblem[] {
  if (value === null && schema.nullable === true) return [];
  const typeProblem = wrongType(value, schema);
  if (typeProblem) return [{ field, problem: typeProblem }];
  const problems = scalarProblems(value, schema).map((problem) => ({ field, problem }));
  if (Array.isArray(value)) problems.push(...arrayProblems(value, schema, field));
  else if (isObject(value)) problems.push(...objectProblems(value, schema, field));
  for (const part of (schema.allOf as Schema[] | undefined) ?? []) problems.push(...schemaProblems(value, part, field));
  const anyOf = schema.anyOf as Schema[] | undefined;
  if (anyOf && !schema['x-kubernetes-int-or-string'] && !anyOf.some((part) => schemaProblems(value, part, field).length === 0)) {
    problems.push({ field, problem: `Invalid value: ${shown(value)}: must validate at least one schema (anyOf)` });
  }
  const oneOf = schema.oneOf as Schema[] | undefined;
  if (oneOf && oneOf.filter((part) => schemaProblems(value, part, field).length === 0).length !== 1) {
    problems.push({ field, problem: `Invalid value: ${shown(value)}: must validate one and only one schema (oneOf)` });
  }
  if (isObject(schema.not) && schemaProblems(value, schema.not, field).length === 0) {
    problems.push({ field, problem: `Invalid value: ${shown(value)}: must not validate the schema (not)` });
  }
  return problems;
}

const shown = (value: unknown) => JSON.stringify(value) ?? 'null';

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function wrongType(value: unknown, schema: Schema): string | undefined {
  const type = typeOf(value);
  if (schema['x-kubernetes-int-or-string'] === true) {
    return type === 'integer' || type === 'string' ? undefined : `Invalid value: "${type}": must be of type integer or string: "${type}"`;
  }
  const wanted = schema.type;
  if (wanted === undefined || wanted === type || (wanted === 'number' && type === 'integer')) return undefined;
  return `Invalid value: "${type}": must be of type ${String(wanted)}: "${type}"`;
}

function scalarProblems(value: unknown, schema: Schema): string[] {
  const problems: string[] = [];
  const {
    minimum,
    maximum,
    minLength,
    maxLength,
    pattern,
    enum: allowed,
    multipleOf,
  } = schema as Record<string, number | undefined> & {
    pattern?: string;
    enum?: unknown[];
  };
  const wrong = (rule: string) => problems.push(`Invalid value: ${shown(value)}: ${rule}`);
  if (Array.isArray(allowed) && !allowed.some((each) => equalJson(each, value))) {
    problems.push(`Unsupported value: ${shown(value)}: supported values: ${allowed.map(shown).join(', ')}`);
  }
  if (typeof value === 'number') {
    const [low, high] = [schema.exclusiveMinimum === true, schema.exclusiveMaximum === true];
    if (minimum !== undefined && (low ? value <= minimum : value < minimum))
      wrong(`should be greater than ${low ? '' : 'or equal to '}${minimum}`);
    if (maximum !== undefined && (high ? value >= maximum : value > maximum))
      wrong(`should be less than ${high ? '' : 'or equal to '}${maximum}`);
    if (multipleOf !== undefined && value % multipleOf !== 0) wrong(`should be a multiple of ${multipleOf}`);
  }
  if (typeof value === 'string') {
    const length = [...value].length;
    if (minLength !== undefined && length < minLength) wrong(`should be at least ${minLength} chars long`);
    if (maxLength !== undefined && length > maxLength) problems.push(`Too long: may not be more than ${maxLength} bytes`);
    if (typeof pattern === 'string' && !new RegExp(pattern).test(value)) wrong(`should match '${pattern}'`);
  }
  return problems;
}

function arrayProblems(value: unknown[], schema: Schema, field: string): KindFieldProblem[] {
  const { minItems, maxItems, items } = schema as { minItems?: number; maxItems?: number; items?: Schema };
  const problems: KindFieldProblem[] = [];
  if (minItems !== undefined && value.length < minItems) {
    problems.push({ field, problem: `Invalid value: ${value.length}: should have at least ${minItems} items` });
  }
  if (maxItems !== undefined && value.length > maxItems) {
    problems.push({ field, problem: `Too many: ${value.length}: must have at most ${maxItems} items` });
  }
  if (items) problems.push(...value.flatMap((item, index) => schemaProblems(item, items, `${field}[${index}]`)));
  return problems;
}

function objectProblems(value: Record<string, unknown>, schema: Schema, field: string): KindFieldProblem[] {
  const inside = (name: string) => (field === '' ? name : `${field}.${name}`);
  const missing = ((schema.required as string[] | undefined) ?? []).filter((name) => value[name] === undefined);
  const problems = missing.map((name) => ({ field: inside(name), problem: 'Required value' }));
  for (const [name, inner] of Object.entries(value)) {
    if (field === '' && ['apiVersion', 'kind', 'metadata'].includes(name)) continue;
    const known = schemaAt(schema, name);
    if (known) problems.push(...schemaProblems(inner, known, inside(name)));
  }
  return problems;
}
