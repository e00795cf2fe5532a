import { isObject } from '@nodeagent/api/helpers';
import type { Schema } from './schema.js';

type OpenApi = Record<string, unknown>;

const apiVersion = {
  type: 'string',
  description:
    'The version of the schema of this object, with its group: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
};
const kind = {
  type: 'string',
  description:
    'The REST resource of this object: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
};

/**
 * The schema of a version of a CustomResourceDefinition as its OpenAPI document has it: with the fields of all objects; `metadata` is the schema
 * of that field. Version 2 has no keywords that its clients do not know. Kubernetes documentation, "CustomResourceDefinitions: Publish
 * validation schema in OpenAPI".
 */
export function customOpenApi(schema: Schema | undefined, version: 2 | 3, metadata: OpenApi): OpenApi {
  if (schema === undefined || (version === 2 && schema['x-kubernetes-preserve-unknown-fields'])) {
    const description = schema && (schema as OpenApi).description;
    return { type: 'object', ...(description !== undefined && { description }), 'x-kubernetes-preserve-unknown-fields': true };
  }
  const published = version === 2 ? forVersion2(schema as OpenApi) : (schema as OpenApi);
  return { ...published, properties: { ...(published.properties as OpenApi | undefined), apiVersion, kind, metadata } };
}

/** The keywords that version 2 has. */
const dropped = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable', 'default', 'x-kubernetes-validations']);

function forVersion2(schema: OpenApi): OpenApi {
  const kept = Object.fromEntries(Object.entries(schema).filter(([name]) => !dropped.has(name)));
  // Clients would refuse what these accept: unknown fields, null, and texts as well as numbers.
  if (schema['x-kubernetes-preserve-unknown-fields'] || schema.nullable) {
    for (const name of ['items', 'properties', 'additionalProperties', 'type']) delete kept[name];
    if (schema['x-kubernetes-preserve-unknown-fields'] && schema.type === 'object') kept.type = 'object';
    return kept;
  }
  if (isObject(kept.properties))
    kept.properties = Object.fromEntries(Object.entries(kept.properties).map(([name, part]) => [name, forVersion2(part as OpenApi)]));
  for (const name of ['items', 'additionalProperties']) if (isObject(kept[name])) kept[name] = forVersion2(kept[name] as OpenApi);
  return kept;
}

/** The schema of a list of a custom resource; `item` and `metadata` are those of its fields. */
export function customListOpenApi(item: OpenApi, metadata: OpenApi): OpenApi {
  return { type: 'object', required: ['items'], properties: { apiVersion, kind, metadata, items: { type: 'array', items: item } } };
}
