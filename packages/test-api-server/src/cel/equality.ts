import { CelDuration, CelList, CelMap, CelOpaque, CelOptional, CelTimestamp, CelTypeValue, CelUint, type CelValue } from './values.js';

type CelNumber = bigint | number | CelUint;

const isNumber = (value: CelValue): value is CelNumber =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof CelUint;

const plain = (value: CelNumber): bigint | number => (value instanceof CelUint ? value.value : value);

/** Whether two values are equal; values of different types are not, except numbers. CEL language definition, "Equality". */
export function equalValues(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  if (isNumber(a) && isNumber(b)) return compareNumbers(plain(a), plain(b)) === 0;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.ns === b.ns;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.ns === b.ns;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof CelList) return b instanceof CelList && equalLists(a, b);
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b);
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof CelOpaque) return b instanceof CelOpaque && a.typeName === b.typeName && a.equals(b);
  if (!(a instanceof CelOptional) || !(b instanceof CelOptional)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equalValues(a.value, b.value);
}

function equalLists(a: CelList, b: CelList): boolean {
  if (a.items.length !== b.items.length) return false;
  const merge = a.merge ?? b.merge;
  if (merge === undefined) return a.items.every((item, index) => equalValues(item, b.items[index] as CelValue));
  const others = new Map<string, CelValue[]>();
  for (const item of b.items) {
    const key = identityOf(item, merge);
    const same = others.get(key);
    if (same) same.push(item);
    else others.set(key, [item]);
  }
  return a.items.every((item) => others.get(identityOf(item, merge))?.some((other) => equalValues(item, other)));
}

/** What identifies an element of a list of type `set` or `map`. */
export function identityOf(item: CelValue, merge: 'set' | readonly string[]): string {
  if (merge === 'set') return scalarText(item);
  const values = merge.map((key) => (item instanceof CelMap ? item.get(key) : undefined));
  return JSON.stringify(values.map((value) => (value === undefined ? null : scalarText(value))));
}

function scalarText(value: CelValue): string {
  if (value instanceof CelUint) return `n${value.value}`;
  if (typeof value === 'bigint' || typeof value === 'number') return `n${value}`;
  if (typeof value === 'string' || typeof value === 'boolean') return `${typeof value}${value}`;
  // Elements that are no scalars are compared one by one.
  return '';
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  return a.keys().every((key) => {
    const other = b.get(key);
    return other !== undefined && equalValues(a.get(key) as CelValue, other);
  });
}

function compareNumbers(a: bigint | number, b: bigint | number): number | undefined {
  if (a < b) return -1;
  if (a > b) return 1;
  // NaN is neither less, equal nor greater.
  return Number.isNaN(a) || Number.isNaN(b) ? undefined : 0;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] as number) - (b[index] as number);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

/** Order by code points, as the bytes of UTF-8 have it. */
function compareTexts(a: string, b: string): number {
  const others = b[Symbol.iterator]();
  for (const character of a) {
    const { value, done } = others.next();
    if (done) return 1;
    const difference = (character.codePointAt(0) as number) - (value.codePointAt(0) as number);
    if (difference !== 0) return Math.sign(difference);
  }
  return others.next().done ? 0 : -1;
}

/** The order of two values of an ordered type; undefined if they have none. */
export function compareValues(a: CelValue, b: CelValue): number | undefined {
  if (isNumber(a) && isNumber(b)) return compareNumbers(plain(a), plain(b));
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  const times = (a instanceof CelTimestamp && b instanceof CelTimestamp) || (a instanceof CelDuration && b instanceof CelDuration);
  if (times) return a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0;
  return undefined;
}
