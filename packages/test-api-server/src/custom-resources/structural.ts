import { isObject } from '@nodeagent/api/helpers';
import type { KindFieldProblem } from '../kinds/kind-rules.js';
import { linearRegex } from '../regex/regex.js';
import { checkKeywordTypes } from './keyword-types.js';
import { withoutUnknown } from './prune.js';
import { fieldSchemaOf, type Schema, typeFields } from './schema.js';
import { partProblems } from './validate-value.js';

/** Maximum depth of a schema; a deeper one is refused before it is walked. */
const maxDepth = 200;
/** Maximum number of reported problems. */
const maxProblems = 100;

const problem = (field: string, text: string): KindFieldProblem => ({ field, problem: text });
const required = (field: string, text: string) => problem(field, `Required value: ${text}`);
const forbidden = (field: string, text: string) => problem(field, `Forbidden: ${text}`);
const wrong = (field: string, value: unknown, text: string) => problem(field, `Invalid value: ${JSON.stringify(value) ?? 'null'}: ${text}`);

type Raw = Readonly<Record<string, unknown>>;

/** What a schema must not have, with the reason. */
const unsupported: Readonly<Record<string, string>> = {
  $ref: '$ref is not supported',
  definitions: 'definitions is not supported',
  dependencies: 'dependencies is not supported',
  id: 'id is not supported',
  patternProperties: 'patternProperties is not supported',
  additionalItems: 'additionalItems is not supported',
};

/** What logical junctors (`allOf`, `anyOf`, `oneOf`, `not`) must not have. */
const onlyOutside = [
  'type',
  'description',
  'title',
  'default',
  'additionalProperties',
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
];

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/**
 * The problems of the schema of a version: what a cluster refuses when the definition is created. Kubernetes documentation,
 * "CustomResourceDefinitions: Specifying a structural schema".
 */
export function structuralProblems(schema: unknown, field: string): KindFieldProblem[] {
  if (depthOf(schema) > maxDepth) return [forbidden(field, `schema nests deeper than ${maxDepth} levels`)];
  if (!isObject(schema)) return [required(field, 'schemas are required')];
  checkKeywordTypes(schema, field);
  const problems: KindFieldProblem[] = [];
  if (schema.type === undefined || schema.type === '') problems.push(required(`${field}.type`, 'must not be empty at the root'));
  else if (schema.type !== 'object') problems.push(wrong(`${field}.type`, schema.type, 'must be object at the root'));
  if (schema.nullable === true) problems.push(forbidden(`${field}.nullable`, 'nullable cannot be true at the root'));
  walk(schema, field, { isRoot: true, isResource: true }, problems);
  return problems.slice(0, maxProblems);
}

/** The depth of JSON, without recursion, up to one more than the maximum. */
function depthOf(schema: unknown): number {
  let level = [schema];
  // A level of a schema is two of JSON: `properties` and the field.
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth * 2) return maxDepth + 1;
    level = level
      .flatMap((value) => (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []))
      .filter((value) => typeof value === 'object');
  }
  return 0;
}

interface Context {
  isRoot?: boolean;
  /** Whether it has apiVersion, kind and metadata. */
  isResource?: boolean;
}

function walk(schema: Raw, field: string, context: Context, problems: KindFieldProblem[]): void {
  if (problems.length >= maxProblems) return;
  problems.push(...keywordProblems(schema, field), ...typeProblems(schema, field, context), ...listProblems(schema, field));
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    const parts = schema[junctor];
    if (!Array.isArray(parts)) continue;
    for (const [index, part] of parts.entries()) junctorProblems(part, schema, `${field}.${junctor}[${index}]`, problems);
  }
  if (isObject(schema.not)) junctorProblems(schema.not, schema, `${field}.not`, problems);
  problems.push(...defaultProblems(schema as Schema, field, context));
  walkParts(schema, field, context, problems);
}

function walkParts(schema: Raw, field: string, context: Context, problems: KindFieldProblem[]): void {
  const { properties, items, additionalProperties } = schema;
  for (const [name, part] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(part)) continue;
    const at = `${field}.properties[${name}]`;
    if (name === 'metadata' && context.isResource) {
      problems.push(...metadataProblems(part, at));
      continue;
    }
    requireType(part, at, 'must not be empty for specified object fields', problems);
    walk(part, at, { isResource: part['x-kubernetes-embedded-resource'] === true }, problems);
  }
  if (isObject(items)) {
    requireType(items, `${field}.items`, 'must not be empty for specified array items', problems);
    walk(items, `${field}.items`, { isResource: items['x-kubernetes-embedded-resource'] === true }, problems);
  }
  if (isObject(additionalProperties)) {
    const at = `${field}.additionalProperties`;
    requireType(additionalProperties, at, 'must not be empty for specified object fields', problems);
    walk(additionalProperties, at, { isResource: additionalProperties['x-kubernetes-embedded-resource'] === true }, problems);
  }
}

function requireType(schema: Raw, field: string, text: string, problems: KindFieldProblem[]): void {
  const isOpen = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if ((schema.type === undefined || schema.type === '') && !isOpen) problems.push(required(`${field}.type`, text));
}

function keywordProblems(schema: Raw, field: string): KindFieldProblem[] {
  const problems = Object.keys(schema)
    .filter((name) => Object.hasOwn(unsupported, name))
    .map((name) => forbidden(`${field}.${name}`, unsupported[name] as string));
  if (schema.uniqueItems === true) {
    problems.push(forbidden(`${field}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'));
  }
  if (Array.isArray(schema.items)) problems.push(forbidden(`${field}.items`, 'items must be a schema object and not an array'));
  if (schema.additionalProperties === false) {
    problems.push(forbidden(`${field}.additionalProperties`, 'additionalProperties cannot be set to false'));
  }
  if (isObject(schema.properties) && Object.keys(schema.properties).length > 0 && schema.additionalProperties) {
    problems.push(forbidden(`${field}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  if (typeof schema.pattern === 'string') {
    try {
      linearRegex(schema.pattern);
    } catch (error) {
      problems.push(
        wrong(`${field}.pattern`, schema.pattern, `must be a valid regular expression, but isn't: ${(error as Error).message}`),
      );
    }
  }
  return problems;
}

function typeProblems(schema: Raw, field: string, { isRoot }: Context): KindFieldProblem[] {
  const problems: KindFieldProblem[] = [];
  const { type } = schema;
  if (type !== undefined && type !== '' && !isRoot && !types.includes(type as string)) {
    problems.push(
      problem(
        `${field}.type`,
        `Unsupported value: ${JSON.stringify(type)}: supported values: ${types.map((each) => `"${each}"`).join(', ')}`,
      ),
    );
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    problems.push(wrong(`${field}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  if (schema['x-kubernetes-int-or-string'] === true && type) {
    problems.push(wrong(`${field}.type`, type, 'must be empty if x-kubernetes-int-or-string is true'));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === true && type && type !== 'object') {
    problems.push(wrong(`${field}.type`, type, 'must be object if x-kubernetes-preserve-unknown-fields is true'));
  }
  if (schema['x-kubernetes-embedded-resource'] === true) {
    if (type !== 'object') problems.push(wrong(`${field}.type`, type ?? '', 'must be object if x-kubernetes-embedded-resource is true'));
    if (!isObject(schema.properties) && schema['x-kubernetes-preserve-unknown-fields'] !== true) {
      problems.push(
        required(
          `${field}.properties`,
          'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
        ),
      );
    }
  }
  return problems;
}

/** Metadata of a resource can only restrict its name. */
function metadataProblems(schema: Raw, field: string): KindFieldProblem[] {
  const { properties } = schema;
  const others = Object.keys(isObject(properties) ? properties : {}).filter((name) => name !== 'name' && name !== 'generateName');
  const allowed = ['type', 'properties', 'description', 'title'];
  const keywords = Object.keys(schema).filter((name) => !allowed.includes(name));
  if (others.length === 0 && keywords.length === 0 && (schema.type === undefined || schema.type === 'object')) return [];
  return [forbidden(field, 'must not specify anything other than name and generateName, but metadata is implicitly specified')];
}

function listProblems(schema: Raw, field: string): KindFieldProblem[] {
  const problems: KindFieldProblem[] = [];
  const listType = schema['x-kubernetes-list-type'];
  const mapType = schema['x-kubernetes-map-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  if (listType !== undefined) {
    const at = `${field}.x-kubernetes-list-type`;
    if (!['atomic', 'map', 'set'].includes(listType as string)) {
      problems.push(problem(at, `Unsupported value: ${JSON.stringify(listType)}: supported values: "atomic", "map", "set"`));
    }
    if (schema.type !== 'array')
      problems.push(wrong(`${field}.type`, schema.type ?? '', 'must be array if x-kubernetes-list-type is specified'));
    if (listType === 'set' && isObject(schema.items)) problems.push(...setItemProblems(schema.items, `${field}.items`));
  }
  if (keys !== undefined && listType !== 'map') {
    problems.push(wrong(`${field}.x-kubernetes-list-type`, listType ?? '', 'must be map if x-kubernetes-list-map-keys is non-empty'));
  }
  if (listType === 'map') problems.push(...mapKeyProblems(schema, field));
  if (mapType !== undefined) {
    if (mapType !== 'atomic' && mapType !== 'granular') {
      problems.push(
        problem(`${field}.x-kubernetes-map-type`, `Unsupported value: ${JSON.stringify(mapType)}: supported values: "atomic", "granular"`),
      );
    }
    if (schema.type !== 'object')
      problems.push(wrong(`${field}.type`, schema.type ?? '', 'must be object if x-kubernetes-map-type is specified'));
  }
  return problems;
}

function setItemProblems(items: Raw, field: string): KindFieldProblem[] {
  const problems: KindFieldProblem[] = [];
  if (items.nullable === true) problems.push(forbidden(`${field}.nullable`, 'cannot be nullable when x-kubernetes-list-type is set'));
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    problems.push(
      wrong(
        `${field}.x-kubernetes-map-type`,
        items['x-kubernetes-map-type'] ?? 'granular',
        'must be atomic as item of a list with x-kubernetes-list-type=set',
      ),
    );
  }
  if (items.type === 'array' && items['x-kubernetes-list-type'] !== undefined && items['x-kubernetes-list-type'] !== 'atomic') {
    problems.push(
      wrong(
        `${field}.x-kubernetes-list-type`,
        items['x-kubernetes-list-type'],
        'must be atomic as item of a list with x-kubernetes-list-type=set',
      ),
    );
  }
  return problems;
}

function mapKeyProblems({ items, 'x-kubernetes-list-map-keys': keys }: Raw, field: string): KindFieldProblem[] {
  if (!Array.isArray(keys) || keys.length === 0) {
    return [required(`${field}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')];
  }
  if (!isObject(items)) return [required(`${field}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  const problems: KindFieldProblem[] = [];
  if (items.type !== 'object')
    problems.push(wrong(`${field}.items.type`, items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"));
  if (items.nullable === true) problems.push(forbidden(`${field}.items.nullable`, 'cannot be nullable when x-kubernetes-list-type is map'));
  const properties = isObject(items.properties) ? (items.properties as Readonly<Record<string, Schema>>) : {};
  const needed = Array.isArray(items.required) ? (items.required as unknown[]) : [];
  for (const [index, key] of keys.entries()) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const at = `${field}.items.properties[${key}]`;
    if (keys.indexOf(key) !== index)
      problems.push(problem(`${field}.x-kubernetes-list-map-keys[${index}]`, `Duplicate value: ${JSON.stringify(key)}`));
    else if (property === undefined) {
      problems.push(wrong(`${field}.x-kubernetes-list-map-keys[${index}]`, key, 'must refer to a property defined in items'));
    } else {
      if (!['string', 'integer', 'number', 'boolean'].includes(property.type ?? ''))
        problems.push(wrong(`${at}.type`, property.type ?? '', "must be a scalar type if parent array's x-kubernetes-list-type is map"));
      if (property.nullable)
        problems.push(forbidden(`${at}.nullable`, "cannot be nullable when parent array's x-kubernetes-list-type is map"));
      if (property.default === undefined && !needed.includes(key)) {
        problems.push(
          required(`${at}.default`, 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'),
        );
      }
    }
  }
  return problems;
}

/** Within logical junctors fields are only restricted that are declared outside. */
function junctorProblems(part: unknown, outside: Raw | undefined, field: string, problems: KindFieldProblem[]): void {
  if (!isObject(part) || problems.length >= maxProblems) return;
  const isIntOrString = outside?.['x-kubernetes-int-or-string'] === true;
  for (const name of onlyOutside) {
    if (part[name] === undefined || (name === 'type' && isIntOrString)) continue;
    problems.push(forbidden(`${field}.${name}`, 'must be empty to be structural'));
  }
  problems.push(...keywordProblems(part, field));
  for (const [name, inner] of Object.entries(isObject(part.properties) ? part.properties : {})) {
    const at = `${field}.properties[${name}]`;
    const declared = outside && fieldSchemaOf(outside as Schema, name);
    if (outside && declared === undefined && !(typeFields.includes(name) && outside.type === 'object')) {
      problems.push(required(at.replace(/\.(?:allOf|anyOf|oneOf)\[\d+\]|\.not(?=\.|$)/g, ''), `because it is defined in ${at}`));
    }
    junctorProblems(inner, declared as Raw | undefined, at, problems);
  }
  if (isObject(part.items)) junctorProblems(part.items, isObject(outside?.items) ? outside.items : undefined, `${field}.items`, problems);
  for (const junctor of ['allOf', 'anyOf', 'oneOf']) {
    const parts = part[junctor];
    if (Array.isArray(parts))
      for (const [index, each] of parts.entries()) junctorProblems(each, outside, `${field}.${junctor}[${index}]`, problems);
  }
  if (isObject(part.not)) junctorProblems(part.not, outside, `${field}.not`, problems);
}

function defaultProblems(schema: Schema, field: string, { isRoot }: Context): KindFieldProblem[] {
  if (schema.default === undefined) return [];
  const at = `${field}.default`;
  if (isRoot) return [forbidden(at, 'must not be set at the root')];
  if (schema.default === null && !schema.nullable) return [wrong(at, null, 'must not be null if nullable is not true')];
  const pruned = withoutUnknown(schema.default, schema, schema['x-kubernetes-embedded-resource'] === true);
  if (JSON.stringify(pruned) !== JSON.stringify(schema.default)) return [wrong(at, schema.default, 'must not have unknown fields')];
  try {
    return partProblems(schema.default, schema, at);
  } catch {
    // The schema has a pattern that is no regular expression, which is reported where it is.
    return [];
  }
}
