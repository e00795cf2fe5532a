import { isObject } from '@nodeagent/api/helpers';
import { fieldSchemaOf, inside, keepsUnknown, type Schema, typeFields } from './schema.js';

/** A copy of a value without the fields that its schema does not declare. Kubernetes documentation, "Field pruning". */
export function withoutUnknown(value: unknown, schema: Schema, isResource = true): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => withoutUnknown(item, items, items['x-kubernetes-embedded-resource'])) : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([field, inner]): [string, unknown][] => {
    if (isResource && typeFields.includes(field)) return [[field, inner]];
    const known = fieldSchemaOf(schema, field);
    if (known) return [[field, withoutUnknown(inner, known, known['x-kubernetes-embedded-resource'] === true)]];
    return keepsUnknown(schema) ? [[field, inner]] : [];
  });
  return Object.fromEntries(entries);
}

/** The paths of the fields that the schema does not declare. */
export function unknownToSchema(value: unknown, schema: Schema, path = '', isResource = true): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return [];
    const isEmbedded = items['x-kubernetes-embedded-resource'] === true;
    return value.flatMap((item, index) => unknownToSchema(item, items, `${path}[${index}]`, isEmbedded));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([field, inner]) => {
    if (isResource && typeFields.includes(field)) return [];
    const at = inside(path, field);
    const known = fieldSchemaOf(schema, field);
    if (known) return unknownToSchema(inner, known, at, known['x-kubernetes-embedded-resource'] === true);
    return keepsUnknown(schema) ? [] : [at];
  });
}
