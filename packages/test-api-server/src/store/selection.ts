import { errorMessage, type LabelSelector } from '@nodeagent/api';
import { matchesLabelSelector } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import { badRequest } from '../status.js';
import type { EventInterest } from './event-listeners.js';

/** The selection of a list or a watch. */
export interface ListSelection {
  namespace?: string;
  matches(object: ApiObject): boolean;
  /** A field with one required value, if a term requires that. */
  field?: EventInterest['field'];
}

const requirementPattern =
  /^\s*(?:(!)\s*([^\s!=,()<>]+)|([^\s!=,()<>]+)(?:\s*(==?|!=)\s*([^\s!=,()<>]*)|\s+(in|notin)\s*\(([^()]*)\))?)\s*(?:,|$)/;

/** Parses a label selector of a query: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Throws 400 if it is invalid. */
export function parseLabelSelector(text: string): LabelSelector {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: { key: string; operator: string; values?: string[] }[] = [];
  for (let rest = text; rest.trim() !== ''; ) {
    const match = requirementPattern.exec(rest);
    if (match === null) throw badRequest(`unable to parse requirement: found '${rest}', expected: a label selector`);
    rest = rest.slice(match[0].length);
    const [, not, absent, key = '', operator, value = '', set, values = ''] = match;
    if (not) matchExpressions.push({ key: absent ?? '', operator: 'DoesNotExist' });
    else if (set) {
      const list = values.split(',').map((each) => each.trim());
      matchExpressions.push({ key, operator: set === 'in' ? 'In' : 'NotIn', values: list });
    } else if (operator === '!=') matchExpressions.push({ key, operator: 'NotIn', values: [value] });
    else if (operator === undefined) matchExpressions.push({ key, operator: 'Exists' });
    else if (Object.hasOwn(matchLabels, key)) matchExpressions.push({ key, operator: 'In', values: [value] });
    else matchLabels[key] = value;
  }
  const selector = { matchLabels, matchExpressions };
  try {
    matchesLabelSelector({ matchExpressions }, {});
  } catch (error) {
    throw badRequest(errorMessage(error));
  }
  return selector;
}

/** One term of a field selector. */
export interface FieldTerm {
  field: string;
  value: string;
  equal: boolean;
}

/** Parses a field selector of a query: `a=b,c!=d`; a backslash escapes a comma, equals sign or backslash in a value. */
export function parseFieldSelector(text: string): FieldTerm[] {
  const terms = text.match(/(?:\\.|[^,\\])+/g) ?? [];
  return terms.map((term) => {
    const match = /^([^=!]+?)(==|!=|=)(.*)$/s.exec(term);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator, value = ''] = match;
    return { field: field.trim(), value: value.replace(/\\([\\,=])/g, '$1'), equal: operator !== '!=' };
  });
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
  const labels = labelSelector ? parseLabelSelector(labelSelector) : undefined;
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
      (labels === undefined || matchesLabelSelector(labels, object.metadata.labels)),
  };
}
