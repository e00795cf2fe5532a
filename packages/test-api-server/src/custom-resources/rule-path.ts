import { isObject } from '@nodeagent/api/helpers';
import type { Schema } from './schema.js';

/**
 * The path of a rule's `fieldPath` (`.spec.name`, `.labels['a.b']`) in errors; undefined if it is no path of fields that the schema has.
 * Kubernetes documentation, "Validation rules: Field paths".
 */
export function rulePath(fieldPath: string, schema: Schema): string | undefined {
  const parts = [...fieldPath.matchAll(/\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)+)'\]/g)];
  if (parts.length === 0 || parts.map(([text]) => text).join('') !== fieldPath) return undefined;
  let at: Schema | undefined = schema;
  let path = '';
  for (const [, name, quoted] of parts) {
    const field = name ?? (quoted ?? '').replace(/\\(.)/g, '$1');
    const isField: boolean = at?.properties !== undefined && Object.hasOwn(at.properties, field);
    const next: Schema | undefined = isField
      ? at?.properties?.[field]
      : isObject(at?.additionalProperties)
        ? (at.additionalProperties as Schema)
        : undefined;
    if (next === undefined) return undefined;
    path += isField ? `.${field}` : `[${field}]`;
    at = next;
  }
  return path;
}

/** The problem of a rule that failed, in the words of its reason. */
export function reasonProblem(reason: string | undefined, type: string, message: string): string {
  switch (reason) {
    case 'FieldValueForbidden':
      return `Forbidden: ${message}`;
    case 'FieldValueRequired':
      return `Required value: ${message}`;
    case 'FieldValueDuplicate':
      return `Duplicate value: ${JSON.stringify(type)}: ${message}`;
    default:
      return `Invalid value: ${JSON.stringify(type)}: ${message}`;
  }
}
