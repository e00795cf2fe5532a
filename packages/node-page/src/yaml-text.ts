import { isObject } from '@nodeagent/api/helpers';

/** Plain JSON as YAML in block style. */
export function yamlText(value: unknown): string {
  return `${lines(value).join('\n')}\n`;
}

function lines(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((each) => itemLines(lines(each)));
  if (isObject(value) && Object.keys(value).length > 0) return Object.entries(value).flatMap(([name, field]) => fieldLines(name, field));
  return [scalar(value)];
}

const itemLines = ([first = '', ...rest]: string[]) => [`- ${first}`, ...rest.map((line) => `  ${line}`)];

function fieldLines(name: string, field: unknown): string[] {
  const [first = '', ...rest] = lines(field);
  const isBlock = (Array.isArray(field) && field.length > 0) || (isObject(field) && Object.keys(field).length > 0);
  if (!isBlock) return [`${scalar(name)}: ${first}`];
  const indent = Array.isArray(field) ? '' : '  ';
  return [`${scalar(name)}:`, ...[first, ...rest].map((line) => `${indent}${line}`)];
}

/** Texts that are no other type without quotes, and need none. */
const plainText = /^(?!(?:null|true|false|yes|no|on|off|y|n|~)$)[A-Za-z/_<][\w ./<>()-]*(?::[\w./-]+)*$/i;

function scalar(value: unknown): string {
  if (typeof value === 'string') return plainText.test(value) && !value.endsWith(' ') ? value : JSON.stringify(value);
  if (Array.isArray(value)) return '[]';
  return isObject(value) ? '{}' : String(value);
}
