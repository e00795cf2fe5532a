import type { CompareOptions } from './adapter.js';

/** One place where expected and actual differ. */
export interface Difference {
  path: string;
  expected: unknown;
  actual: unknown;
}

/** The differences of two outputs under the file's rules; empty if they agree. */
export function differences(expected: unknown, actual: unknown, input: unknown, options: CompareOptions): Difference[] {
  const plain = (output: unknown) => (output === undefined ? null : JSON.parse(JSON.stringify(output, bigintAsText)));
  const prepare = (output: unknown) => (options.normalize ? options.normalize(plain(output), input) : plain(output));
  const chosen = options.choose ? options.choose(plain(expected), plain(actual)) : expected;
  const found: Difference[] = [];
  compare(prepare(chosen), prepare(actual), '$', options, found);
  return found;
}

const bigintAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

function compare(expected: unknown, actual: unknown, path: string, options: CompareOptions, found: Difference[]): void {
  if (isAbsent(expected, options) && isAbsent(actual, options)) return;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let i = 0; i < Math.max(expected.length, actual.length); i++) compare(expected[i], actual[i], `${path}[${i}]`, options, found);
    if (expected.length !== actual.length) found.push({ path: `${path}.length`, expected: expected.length, actual: actual.length });
  } else if (isMap(expected) && isMap(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      compare(expected[key], actual[key], `${path}.${key}`, options, found);
    }
  } else if (!Object.is(expected, actual)) {
    found.push({ path, expected, actual });
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAbsent(value: unknown, { emptyIsAbsent = false, nullIsAbsent = true }: CompareOptions): boolean {
  if (value === undefined) return true;
  if (emptyIsAbsent && (value === '' || value === 0 || value === false)) return true;
  if (!emptyIsAbsent && !nullIsAbsent) return false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && Object.keys(value).length === 0;
}
