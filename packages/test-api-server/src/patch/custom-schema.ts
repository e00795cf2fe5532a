import { isObject } from '@nodeagent/api/helpers';
import { metadataSchema } from './built-in-schemas.js';
import type { FieldSchema } from './field-schema.js';

/**
 * The schema of a custom resource from its CustomResourceDefinition's `openAPIV3Schema`: `x-kubernetes-list-type`,
 * `x-kubernetes-list-map-keys` and `x-kubernetes-map-type`. Only for server-side apply: custom resources do not support strategic merge.
 */
export function customSchema(openAPIV3Schema: unknown): FieldSchema {
  const schema = fromOpenApi(openAPIV3Schema);
  return { ...schema, fields: { ...schema?.fields, ...metadataSchema.fields } };
}

function fromOpenApi(schema: unknown): FieldSchema | undefined {
  if (!isObject(schema)) return undefined;
  if (schema['x-kubernetes-map-type'] === 'atomic') return { atomic: true };
  if (schema.type === 'array') return fromArray(schema);
  const fields = fieldsOf(schema.properties);
  const values = fromOpenApi(schema.additionalProperties);
  return fields || values ? { ...(fields && { fields }), ...(values && { values }) } : undefined;
}

function fromArray(schema: Record<string, unknown>): FieldSchema | undefined {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return { set: true };
  const keys = schema['x-kubernetes-list-map-keys'];
  if (listType !== 'map' || !Array.isArray(keys)) return undefined;
  const items = fromOpenApi(schema.items);
  const keyDefaults = defaultsOf(schema.items, keys);
  return { keys, ...(items && { items }), ...(keyDefaults && { keyDefaults }) };
}

function fieldsOf(properties: unknown): Record<string, FieldSchema> | undefined {
  if (!isObject(properties)) return undefined;
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    const field = fromOpenApi(property);
    return field ? [[name, field] as const] : [];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

function defaultsOf(items: unknown, keys: readonly string[]): Record<string, unknown> | undefined {
  const properties = isObject(items) && isObject(items.properties) ? items.properties : {};
  const defaults = keys.flatMap((key) => {
    const property = properties[key];
    return isObject(property) && property.default !== undefined ? [[key, property.default] as const] : [];
  });
  return defaults.length > 0 ? Object.fromEntries(defaults) : undefined;
}
