import { equalJson, isIPv4, isIPv6, isObject } from '@nodeagent/api/helpers';
import type { KindFieldProblem } from '../kinds/kind-rules.js';
import { linearRegex } from '../regex/regex.js';
import { embeddedProblems } from './embedded.js';
import { listTypeProblems, oldElements } from './list-types.js';
import { fieldSchemaOf, inside, type Schema, typeFields } from './schema.js';

/** Maximum number of reported problems. */
const maxProblems = 100;

/** Where a value is, and the value that it replaces if there is one. */
interface Place {
  field: string;
  /** Problems of unchanged values are not reported: Kubernetes documentation, "Validation ratcheting". */
  old?: unknown;
  isRoot?: boolean;
}

/**
 * Validates a value by its schema, with the API's messages. Ignores the root's apiVersion, kind and metadata.
 * Kubernetes documentation, "CustomResourceDefinitions: Validation".
 */
export function schemaProblems(value: unknown, schema: Schema, old?: unknown): KindFieldProblem[] {
  return problemsAt(value, schema, { field: '', old, isRoot: true }).slice(0, maxProblems);
}

/** {@link schemaProblems} of a part of an object. */
export function partProblems(value: unknown, schema: Schema, field: string): KindFieldProblem[] {
  return problemsAt(value, schema, { field });
}

function problemsAt(value: unknown, schema: Schema, place: Place): KindFieldProblem[] {
  const { field, old } = place;
  if (value === null && schema.nullable === true) return [];
  if (old !== undefined && equalJson(old, value)) return [];
  const typeProblem = wrongType(value, schema);
  if (typeProblem) return [{ field, problem: typeProblem }];
  const problems = scalarProblems(value, schema).map((problem) => ({ field, problem }));
  if (Array.isArray(value)) problems.push(...arrayProblems(value, schema, place));
  else if (isObject(value)) problems.push(...objectProblems(value, schema, place));
  problems.push(...choiceProblems(value, schema, place));
  if (schema['x-kubernetes-embedded-resource'] && isObject(value)) problems.push(...embeddedProblems(value, field));
  return problems;
}

function choiceProblems(value: unknown, schema: Schema, { field, isRoot = false }: Place): KindFieldProblem[] {
  const fits = (part: Schema) => problemsAt(value, part, { field, isRoot }).length === 0;
  const wrong = (rule: string) => ({ field, problem: `Invalid value: ${shown(value)}: ${rule}` });
  const problems = (schema.allOf ?? []).flatMap((part) => problemsAt(value, part, { field, isRoot }));
  if (schema.anyOf && !schema['x-kubernetes-int-or-string'] && !schema.anyOf.some(fits)) {
    problems.push(wrong('must validate at least one schema (anyOf)'));
  }
  if (schema.oneOf && schema.oneOf.filter(fits).length !== 1) problems.push(wrong('must validate one and only one schema (oneOf)'));
  if (schema.not && fits(schema.not)) problems.push(wrong('must not validate the schema (not)'));
  return problems;
}

const shown = (value: unknown) =>
  isObject(value) || Array.isArray(value) ? JSON.stringify(value).slice(0, 10_000) : (JSON.stringify(value) ?? 'null');

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function wrongType(value: unknown, schema: Schema): string | undefined {
  const actual = typeOf(value);
  const wrong = (expected: string) => `Invalid value: "${actual}": must be of type ${expected}: "${actual}"`;
  if (schema['x-kubernetes-int-or-string']) return actual === 'integer' || actual === 'string' ? undefined : wrong('integer or string');
  const { type } = schema;
  if (type === undefined || type === '') return undefined;
  if (actual === type || (actual === 'integer' && type === 'number')) return undefined;
  return wrong(type);
}

function scalarProblems(value: unknown, schema: Schema): string[] {
  const problems: string[] = [];
  if (schema.enum && !schema.enum.some((each) => equalJson(each, value))) {
    problems.push(`Unsupported value: ${shown(value)}: supported values: ${schema.enum.map(shown).join(', ')}`);
  }
  if (typeof value === 'number') problems.push(...numberProblems(value, schema));
  if (typeof value === 'string') problems.push(...textProblems(value, schema));
  return problems;
}

function numberProblems(value: number, { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format }: Schema): string[] {
  const problems: string[] = [];
  const wrong = (rule: string) => problems.push(`Invalid value: ${value}: ${rule}`);
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    wrong(`should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    wrong(`should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  }
  if (multipleOf && !isMultiple(value, multipleOf)) wrong(`should be a multiple of ${multipleOf}`);
  const bits = format === 'int32' ? 31 : format === 'int64' ? 63 : undefined;
  if (bits !== undefined && (value < -(2 ** bits) || value >= 2 ** bits))
    wrong(`Checked value must be of type integer with format ${format}`);
  return problems;
}

/** Whether a quotient is whole, up to the error of a division of decimals. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function textProblems(value: string, { minLength, maxLength, pattern, format }: Schema): string[] {
  const problems: string[] = [];
  const wrong = (rule: string) => problems.push(`Invalid value: ${JSON.stringify(value)}: ${rule}`);
  const length = [...value].length;
  if (minLength !== undefined && length < minLength) wrong(`should be at least ${minLength} chars long`);
  if (maxLength !== undefined && length > maxLength) problems.push(`Too long: may not be more than ${maxLength} bytes`);
  if (typeof pattern === 'string' && !linearRegex(pattern).test(value)) wrong(`should match '${pattern}'`);
  const check = format === undefined || !Object.hasOwn(formats, format) ? undefined : formats[format];
  if (check && !check(value)) wrong(`must be of type ${format}: ${JSON.stringify(value)}`);
  return problems;
}

const matching = (pattern: RegExp) => (text: string) => pattern.test(text);
const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
const uuid = (version: string) => matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i'));

/** The formats that are validated; others are ignored. Kubernetes documentation, "CustomResourceDefinitions: Validation". */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
  datetime: (text) => !Number.isNaN(Date.parse(text)),
  duration: matching(/^(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$|^\d+\s*(?:[a-z]+)$/i),
  byte: matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
  email: matching(/^[^\s@]+@[^\s@]+$/),
  hostname: matching(/^(?=.{1,255}$)[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?(?:\.[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?)*\.?$/),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: (text) => {
    const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
    return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
  },
  mac: matching(/^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$|^(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}$/i),
  uuid: uuid('[0-9a-f]'),
  uuid3: uuid('3'),
  uuid4: uuid('4'),
  uuid5: uuid('5'),
  uri: (text) => {
    try {
      return new URL(text).href !== '';
    } catch {
      return text.startsWith('/');
    }
  },
  hexcolor: matching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i),
  creditcard: matching(/^[\d -]{13,25}$/),
  isbn10: matching(/^(?:\d[ -]?){9}[\dX]$/),
  isbn13: matching(/^(?:\d[ -]?){13}$/),
  isbn: matching(/^(?:(?:\d[ -]?){9}[\dX]|(?:\d[ -]?){13})$/),
  ssn: matching(/^\d{3}[ -]?\d{2}[ -]?\d{4}$/),
  rgbcolor: matching(/^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/),
};

function arrayProblems(value: unknown[], schema: Schema, { field, old }: Place): KindFieldProblem[] {
  const { minItems, maxItems, items } = schema;
  const problems: KindFieldProblem[] = [];
  if (minItems !== undefined && value.length < minItems) {
    problems.push({ field, problem: `Invalid value: ${value.length}: should have at least ${minItems} items` });
  }
  if (maxItems !== undefined && value.length > maxItems) {
    problems.push({ field, problem: `Too many: ${value.length}: must have at most ${maxItems} items` });
  }
  problems.push(...listTypeProblems(value, schema, field));
  if (!items) return problems;
  const before = oldElements(old, schema);
  for (const [index, item] of value.entries()) {
    if (problems.length >= maxProblems) break;
    problems.push(...problemsAt(item, items, { field: `${field}[${index}]`, old: before(item) }));
  }
  return problems;
}

function objectProblems(value: Record<string, unknown>, schema: Schema, { field, old, isRoot }: Place): KindFieldProblem[] {
  const { minProperties, maxProperties, required = [] } = schema;
  const names = Object.keys(value);
  const problems = required
    .filter((name) => value[name] === undefined)
    .map((name) => ({ field: inside(field, name), problem: 'Required value' }));
  if (minProperties !== undefined && names.length < minProperties) {
    problems.push({ field, problem: `Invalid value: ${names.length}: should have at least ${minProperties} properties` });
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    problems.push({ field, problem: `Too many: ${names.length}: must have at most ${maxProperties} items` });
  }
  for (const name of names) {
    if (problems.length >= maxProblems) break;
    if (isRoot && typeFields.includes(name)) continue;
    const known = fieldSchemaOf(schema, name);
    if (known) problems.push(...problemsAt(value[name], known, { field: inside(field, name), old: isObject(old) ? old[name] : undefined }));
  }
  return problems;
}
