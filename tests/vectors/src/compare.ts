import type { CompareOptions } from './adapter.js';
import type { Mask } from './mask.js';

/** One place where expected and actual differ. */
export interface Difference {
  path: string;
  expected: unknown;
  actual: unknown;
}

/** The differences of two outputs under the file's rules; empty if they agree. */
export function differences(expected: unknown, actual: unknown, input: unknown, options: CompareOptions): Difference[] {
  let sides = { expected: plain(expected), actual: plain(actual) };
  for (const mask of options.masks ?? []) sides = { ...sides, ...mask.hide({ ...sides, input }) };
  const found: Difference[] = [];
  compare(sides.expected, sides.actual, '$', options, found);
  return found;
}

/** The masks without which two agreeing outputs differ. */
export function requiredMasks(expected: unknown, actual: unknown, input: unknown, options: CompareOptions): Mask[] {
  const { masks = [] } = options;
  const agreesWith = (chosen: readonly Mask[]) => differences(expected, actual, input, { ...options, masks: chosen }).length === 0;
  if (masks.length === 0 || agreesWith([])) return [];
  return masks.filter((mask) => !agreesWith(masks.filter((other) => other !== mask)));
}

const plain = (output: unknown) => (output === undefined ? null : JSON.parse(JSON.stringify(output, bigintAsText)));

const bigintAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

function compare(expected: unknown, actual: unknown, path: string, options: CompareOptions, found: Difference[]): void {
  if (isAbsent(expected, options) && isAbsent(actual, options)) return;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let i = 0; i < Math.max(expected.length, actual.length); i++) compare(expected[i], actual[i], `${path}[${i}]`, options, found);
    if (expected.length !== actual.length) found.push({ path: `${path}.length`, expected: expected.length, actual: actual.length });
  } else if (isMap(expected) && isMap(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      compare(memberOf(expected, key, options), memberOf(actual, key, options), `${path}.${key}`, options, found);
    }
  } else if (!Object.is(expected, actual)) {
    found.push({ path, expected, actual });
  }
}

/** An empty map that is a value is compared as a text. */
function memberOf(map: Record<string, unknown>, key: string, { emptyMaps = [] }: CompareOptions): unknown {
  const value = map[key];
  return emptyMaps.includes(key) && isMap(value) && Object.keys(value).length === 0 ? '{}' : value;
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
