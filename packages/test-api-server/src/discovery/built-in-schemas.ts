import { nameOfType } from '../fields/built-in-types.js';
import type { ObjectField, ObjectType, ValueKind } from '../fields/object-type.js';
import { splitApiVersion } from '../objects.js';
import { descriptionOf } from './descriptions.js';
import { requiredFields } from './required-fields.js';

type Schema = Record<string, unknown>;

/** Schemas by their names in a document. */
export type SchemaTable = Record<string, Schema>;

/** Which OpenAPI: the types of version 2 have no alternatives. */
export type OpenApiVersion = 2 | 3;

const text = (format: string): Schema => ({ type: 'string', format });
const either = (...types: string[]) => types.map((type) => ({ type }));

/** Scalars whose schema has a name, in version 2 and in version 3. */
const namedScalars: Partial<Record<ValueKind, { name: string; 2: Schema; 3: Schema }>> = {
  quantity: {
    name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    2: { type: 'string' },
    3: { oneOf: either('string', 'number') },
  },
  intOrString: {
    name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    2: text('int-or-string'),
    3: { format: 'int-or-string', oneOf: either('integer', 'string') },
  },
};

const scalarSchemas: Readonly<Record<Exclude<ValueKind, 'object' | 'quantity' | 'intOrString'>, Schema>> = {
  string: { type: 'string' },
  bytes: text('byte'),
  int: { type: 'integer', format: 'int64' },
  bool: { type: 'boolean' },
  double: { type: 'number', format: 'double' },
  time: text('date-time'),
  microTime: text('date-time'),
  duration: { type: 'string' },
  stringList: { type: 'array', items: { type: 'string' } },
  raw: { type: 'object' },
  fieldsV1: { type: 'object' },
  schemaOrList: {},
  schemaOrBool: {},
  schemaOrStrings: {},
};

/** Roots of the names of types that are not in `io.k8s.api`. */
const otherRoots: Readonly<Record<string, string>> = {
  'meta.k8s.io': 'io.k8s.apimachinery.pkg.apis.meta',
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
};

/** The name of a built-in type in OpenAPI documents, such as `io.k8s.api.apps.v1.Deployment`. */
export function builtInSchemaName(type: ObjectType): string {
  const { version: apiVersion, name } = nameOfType(type) ?? { version: 'v1', name: type.name };
  const { group, version } = splitApiVersion(apiVersion);
  const root = otherRoots[group] ?? `io.k8s.api.${group === '' ? 'core' : group.split('.')[0]}`;
  return `${root}.${version}.${name}`;
}

/** Adds the schema of a type and of all types that it refers to. Returns its name. */
export function addBuiltInSchema(schemas: SchemaTable, type: ObjectType, version: OpenApiVersion): string {
  const name = builtInSchemaName(type);
  if (schemas[name] !== undefined) return name;
  const properties: Schema = {};
  const required = requiredFields(type);
  schemas[name] = { type: 'object', properties, ...(required.length > 0 && { required }) };
  const root = version === 3 ? '#/components/schemas/' : '#/definitions/';
  const refer = (target: ObjectType | ValueKind) => ({
    $ref: `${root}${typeof target === 'string' ? addScalarSchema(schemas, target, version) : addBuiltInSchema(schemas, target, version)}`,
  });
  const addFields = (from: ObjectType) => {
    for (const [field, each] of from.fields) properties[field] = described(from, each, fieldSchema(each, refer));
    for (const { type: inlined } of from.inlined) if (inlined) addFields(inlined);
  };
  addFields(type);
  return name;
}

function described(type: ObjectType, field: ObjectField, schema: Schema): Schema {
  const description = descriptionOf(type.name, field.name);
  return description === undefined ? schema : { ...schema, description };
}

/** Adds the schema of a scalar that has a name. Returns it. */
function addScalarSchema(schemas: SchemaTable, kind: ValueKind, version: OpenApiVersion): string {
  const { name, [version]: schema } = namedScalars[kind] ?? { name: '', [version]: {} };
  schemas[name] ??= schema ?? {};
  return name;
}

type Refer = (target: ObjectType | ValueKind) => Schema;

function fieldSchema(field: ObjectField, refer: Refer): Schema {
  const value = valueSchema(field, refer);
  if (field.isList) return { type: 'array', items: value };
  return field.isMap ? { type: 'object', additionalProperties: value } : value;
}

function valueSchema({ kind, type }: ObjectField, refer: Refer): Schema {
  if (kind === 'object') return type ? refer(type) : { type: 'object' };
  return kind === 'quantity' || kind === 'intOrString' ? refer(kind) : scalarSchemas[kind];
}
