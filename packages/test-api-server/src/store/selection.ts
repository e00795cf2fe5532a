import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import { badRequest } from '../status.js';
import type { EventInterest } from './event-listeners.js';
import { labelMatcher } from './label-selector.js';

/** The selection of a list or a watch. */
export interface ListSelection {
  namespace?: string;
  matches(object: ApiObject): boolean;
  /** A field with one required value, if a term requires that. */
  field?: EventInterest['field'];
}

/** One term of a field selector. */
export interface FieldTerm {
  field: string;
  value: string;
  equal: boolean;
}

/** Parses a field selector of a query: `a=b,c!=d`; a backslash escapes a comma, equals sign or backslash in a value. */
export function parseFieldSelector(text: string): FieldTerm[] {
  const terms = text.match(/(?:\\.|[^,\\]|\\$)+/g) ?? [];
  return terms.map((term) => {
    const match = /^([^=!]*?)(==|!=|=)(.*)$/s.exec(term);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator, value = ''] = match;
    return { field: field.trim(), value: unescaped(value), equal: operator !== '!=' };
  });
}

/** A value without its escapes. Throws 400 for other escapes, and for an equals sign without one. */
function unescaped(value: string): string {
  const wrong = /\\([^\\,=]|$)/s.exec(value.replace(/\\[\\,=]/g, ''));
  if (wrong) throw badRequest(`invalid field selector: invalid escape sequence: ${wrong[0]}`);
  if (value.replace(/\\[\\,=]/g, '').includes('=')) throw badRequest('invalid field selector: unescaped character in value: 61');
  return value.replace(/\\([\\,=])/g, '$1');
}

/** The value for a field selector. */
function selectableValue(object: ApiObject, field: string, absent = ''): string {
  if (field === 'source') return selectableValue(object, 'source.component') || selectableValue(object, 'reportingComponent');
  let value: unknown = object;
  for (const part of field.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[part];
  if (value === undefined || value === null) return absent;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The selection of a request by its namespace and selectors. Throws 400 for unsupported selectors. */
export function selectionOf(
  definition: ServedResource,
  { namespace, labelSelector, fieldSelector }: { namespace?: string; labelSelector?: string; fieldSelector?: string },
): ListSelection {
  const takesLabels = labelSelector ? labelMatcher(labelSelector) : undefined;
  const terms = fieldSelector ? parseFieldSelector(fieldSelector) : [];
  const known: Readonly<Record<string, string>> = { 'metadata.name': '', 'metadata.namespace': '', ...definition.selectableFields };
  for (const { field } of terms) {
    if (!Object.hasOwn(known, field)) throw badRequest(`field label not supported: ${field}`);
  }
  const exact = terms.find(({ equal }) => equal);
  return {
    ...(namespace && { namespace }),
    ...(exact && {
      field: { name: exact.field, value: exact.value, of: (object) => selectableValue(object, exact.field, known[exact.field]) },
    }),
    matches: (object) =>
      (!namespace || object.metadata.namespace === namespace) &&
      terms.every(({ field, value, equal }) => (selectableValue(object, field, known[field]) === value) === equal) &&
      (takesLabels === undefined || takesLabels(object.metadata.labels)),
  };
}
