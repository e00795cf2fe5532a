import { isObject } from '@nodeagent/api/helpers';
import { copyJson } from '../copy-json.js';
import { fieldSchemaOf, type Schema } from './schema.js';

const withDefaults = new WeakMap<Schema, boolean>();

/** Whether a schema has a default anywhere. */
export function hasDefaults(schema: Schema): boolean {
  const known = withDefaults.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, items, additionalProperties } = schema;
  const parts = [
    ...Object.values(properties),
    ...(items ? [items] : []),
    ...(isObject(additionalProperties) ? [additionalProperties as Schema] : []),
  ];
  const has = parts.some((part) => part.default !== undefined || hasDefaults(part));
  withDefaults.set(schema, has);
  return has;
}

/**
 * A copy of a value with the defaults of its schema; the same value if there are none. Null fields that are not nullable are removed first.
 * Kubernetes documentation, "CustomResourceDefinitions: Defaulting".
 */
export function withSchemaDefaults(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => withSchemaDefaults(item, items)) : value;
  }
  if (!isObject(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [field, inner] of Object.entries(schema.properties ?? {})) {
    const isDropped = filled[field] === null && inner.nullable !== true && inner.default !== undefined;
    if ((filled[field] === undefined || isDropped) && inner.default !== undefined) filled[field] = copyJson(inner.default);
  }
  for (const [field, inner] of Object.entries(filled)) {
    const known = fieldSchemaOf(schema, field);
    if (known) filled[field] = withSchemaDefaults(inner, known);
  }
  return filled;
}
