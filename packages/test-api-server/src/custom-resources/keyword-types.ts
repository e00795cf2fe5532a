import { isObject } from '@nodeagent/api/helpers';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isFlag: Check = (value) => typeof value === 'boolean';
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isSchemas = listOf(isObject);
const isRule: Check = (value) =>
  isObject(value) &&
  isText(value.rule ?? '') &&
  ['message', 'messageExpression', 'reason', 'fieldPath'].every((name) => isText(value[name] ?? '')) &&
  isFlag(value.optionalOldSelf ?? false);

const keywords = (names: string, check: Check) => names.split(' ').map((name): [string, Check] => [name, check]);

const checks: Readonly<Record<string, Check>> = Object.fromEntries([
  ...keywords('type format pattern title description x-kubernetes-list-type x-kubernetes-map-type', isText),
  ...keywords('minimum maximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties', isNumber),
  ...keywords('nullable uniqueItems exclusiveMinimum exclusiveMaximum x-kubernetes-preserve-unknown-fields', isFlag),
  ...keywords('x-kubernetes-embedded-resource x-kubernetes-int-or-string', isFlag),
  ...keywords('required x-kubernetes-list-map-keys', listOf(isText)),
  ...keywords('allOf anyOf oneOf', isSchemas),
  ...keywords('properties', (value) => isObject(value) && Object.values(value).every((part) => isObject(part))),
  ...keywords('items', (value) => isObject(value) || isSchemas(value)),
  ...keywords('additionalProperties', (value) => isObject(value) || isFlag(value)),
  ...keywords('not', isObject),
  ...keywords('enum', Array.isArray),
  ...keywords('x-kubernetes-validations', listOf(isRule)),
]);

/** Throws a `TypeError`, which is a request that cannot be decoded, if a keyword of a schema or of its parts has a value of another type. */
export function checkKeywordTypes(schema: unknown, field: string): void {
  if (!isObject(schema)) return;
  for (const [name, value] of Object.entries(schema)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (value !== null && check?.(value) === false) throw new TypeError(`${field}.${name}`);
    if (value === null) delete schema[name];
  }
  const { properties, items, additionalProperties, not } = schema;
  for (const [name, part] of Object.entries(properties ?? {})) checkKeywordTypes(part, `${field}.properties[${name}]`);
  for (const [name, part] of Object.entries({ items, additionalProperties, not })) checkKeywordTypes(part, `${field}.${name}`);
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, part] of ((schema[name] as unknown[] | undefined) ?? []).entries())
      checkKeywordTypes(part, `${field}.${name}[${index}]`);
  }
}
