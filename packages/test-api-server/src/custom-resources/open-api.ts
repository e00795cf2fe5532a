import { isObject } from '@nodeagent/api/helpers';
import type { Schema } from './schema.js';

type OpenApi = Record<string, unknown>;

const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
const apiVersion = {
  type: 'string',
  description: `APIVersion defines the version of the schema of this object, with its group: ${conventions}#resources`,
};
const kind = { type: 'string', description: `Kind is the REST resource of this object: ${conventions}#types-kinds` };
const objectMetadata = `Standard object's metadata: ${conventions}#metadata`;
const listMetadata = `Standard list metadata: ${conventions}#types-kinds`;

/**
 * The schema of a version of a CustomResourceDefinition as its OpenAPI document has it: with the fields of all objects; `metadata` is the schema
 * of that field. Version 2 has no keywords that its clients do not know. Kubernetes documentation, "CustomResourceDefinitions: Publish
 * validation schema in OpenAPI".
 */
export function customOpenApi(schema: Schema | undefined, version: 2 | 3, metadata: OpenApi): OpenApi {
  if (schema === undefined || (version === 2 && schema['x-kubernetes-preserve-unknown-fields'])) return { type: 'object' };
  const own = { apiVersion, kind, metadata: described(metadata, objectMetadata, version) };
  const published = withEmbedded(version === 2 ? forVersion2(schema as OpenApi) : (schema as OpenApi), version, own);
  return { ...published, properties: { ...(published.properties as OpenApi | undefined), ...own } };
}

/** A reference with a description; in version 3 a reference has nothing beside it. */
const described = (reference: OpenApi, description: string, version: 2 | 3): OpenApi =>
  version === 2 ? { ...reference, description } : { allOf: [reference], description };

/** The keywords that version 2 has not. */
const dropped = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable', 'default']);

function forVersion2(schema: OpenApi): OpenApi {
  const kept = Object.fromEntries(Object.entries(schema).filter(([name]) => !dropped.has(name)));
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  // Clients would refuse what these accept: unknown fields, null, and texts as well as numbers.
  if (isOpen || schema.nullable) {
    delete kept.items;
    delete kept.properties;
    if (schema.nullable || schema.type === 'object' || schema.type === 'array') delete kept.type;
  }
  const parts = isObject(kept.properties) ? kept.properties : {};
  const isNullable = (part: unknown) => isObject(part) && part.nullable === true;
  if (Array.isArray(kept.required)) {
    const required = isNullable(kept.additionalProperties) ? [] : kept.required.filter((name: string) => !isNullable(parts[name]));
    delete kept.required;
    if (required.length > 0) kept.required = required;
  }
  return eachPart(kept, forVersion2);
}

/** The schema with changed schemas of its fields, elements and values. */
function eachPart(schema: OpenApi, change: (part: OpenApi) => OpenApi): OpenApi {
  const parts = Object.entries(isObject(schema.properties) ? schema.properties : {});
  const single = ['items', 'additionalProperties'].flatMap((name) =>
    isObject(schema[name]) ? [[name, change(schema[name])] as const] : [],
  );
  return {
    ...schema,
    ...(parts.length > 0 && { properties: Object.fromEntries(parts.map(([name, part]) => [name, change(part as OpenApi)])) }),
    ...Object.fromEntries(single),
  };
}

/** Adds the fields of all objects to embedded ones; not in version 2 to those with unknown fields. */
function withEmbedded(schema: OpenApi, version: 2 | 3, own: OpenApi): OpenApi {
  const whole = eachPart(schema, (part) => withEmbedded(part, version, own));
  if (!schema['x-kubernetes-embedded-resource'] || (version === 2 && schema['x-kubernetes-preserve-unknown-fields'])) return whole;
  const required = new Set([...((schema.required as string[] | undefined) ?? []), 'kind', 'apiVersion']);
  return { ...whole, properties: { ...(whole.properties as OpenApi | undefined), ...own }, required: [...required] };
}

/** The names of a resource. */
interface ListNames {
  listKind: string;
  kind: string;
  resource: string;
}

/** The schema of a list of a custom resource; `item` and `metadata` are those of its fields. */
export function customListOpenApi(
  { listKind, kind: itemKind, resource }: ListNames,
  version: 2 | 3,
  item: OpenApi,
  metadata: OpenApi,
): OpenApi {
  const items = { type: 'array', items: item, description: `List of ${resource}: ${conventions}` };
  const properties = { apiVersion, kind, metadata: described(metadata, listMetadata, version), items };
  return { type: 'object', description: `${listKind} is a list of ${itemKind}`, required: ['items'], properties };
}
