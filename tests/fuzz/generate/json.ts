import fc, { type Arbitrary } from 'fast-check';
import { oddText } from './text.js';

/** A plain JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const limits = [0, 1, 7, 8, 15, 16, 31, 32, 53, 63, 64].flatMap((bits) => [2 ** bits - 1, 2 ** bits, -(2 ** bits), -(2 ** bits) - 1]);

/** Limits of integer types, fractions, and numbers that lose digits. */
export const oddNumber: Arbitrary<number> = fc.oneof(
  fc.constantFrom(...limits, 0.1, -0.5, 1e-9, 1e21, 1e308, -1e308, 5e-324, Number.MAX_SAFE_INTEGER),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
);

/** `500 nested lists` becomes 500 lists in each other when {@link jsonText} writes the value. */
const nesting = fc
  .tuple(fc.constantFrom(3, 150, 250, 5_000, 30_000), fc.constantFrom('lists', 'maps'))
  .map(([depth, kind]) => `${depth} nested ${kind}`);

const oddKeys = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', '', ' ', '0', 'name', 'a.b', '[0]'];

/** Values that a careless reader mistakes for another type. */
export const oddJson: Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, '', [], {}, [null], [[]], { '': null }, 'true', 'null', '0', '1', '-1', '1e3'),
  oddNumber,
  oddText,
  nesting,
  fc.dictionary(fc.constantFrom(...oddKeys), fc.constantFrom<Json>('x', 1, null, {}, []), { maxKeys: 3, noNullPrototype: true }),
  fc.jsonValue({ maxDepth: 2, noUnicodeString: false }) as Arbitrary<Json>,
);

interface Edit {
  kind: 'replace' | 'remove' | 'duplicate' | 'add' | 'rename' | 'graft';
  /** The number of the edited place, modulo the number of places. */
  at: number;
  from: number;
  key: string;
  value: Json;
}

type Place = readonly (string | number)[];

/** An example with some places replaced, removed, duplicated, renamed, or replaced by another part of the same example. */
export function mutatedJson(examples: readonly Json[], values: Arbitrary<Json> = oddJson, maxEdits = 5): Arbitrary<Json> {
  const edit: Arbitrary<Edit> = fc.record({
    kind: fc.constantFrom('replace', 'replace', 'remove', 'duplicate', 'add', 'rename', 'graft'),
    at: fc.nat(100_000),
    from: fc.nat(100_000),
    key: fc.oneof(fc.constantFrom(...oddKeys, ...keysOf(examples)), oddText),
    value: values,
  });
  return fc.record({ example: fc.constantFrom(...examples), edits: fc.array(edit, { maxLength: maxEdits }) }).map(
    // Undefined if the root was removed.
    ({ example, edits }) => edits.reduce<Json>((value, each) => applyEdit(value, each), example),
  );
}

/** The text of a value, with its deeply nested lists. */
export function jsonText(value: Json, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/"(\d+) nested (lists|maps)"/g, (_, depth, kind) => {
    const [open, close] = kind === 'lists' ? ['[', ']'] : ['{"a":', '}'];
    return `${open.repeat(Number(depth))}1${close.repeat(Number(depth))}`;
  });
}

function keysOf(values: readonly Json[]): string[] {
  const keys = new Set<string>();
  const visit = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) for (const key of Object.keys(value)) keys.add(key);
    for (const entry of Object.values(value)) visit(entry);
  };
  values.forEach(visit);
  return [...keys];
}

function placesOf(value: Json, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place];
  const entries: [string | number, Json][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [place, ...entries.flatMap(([key, entry]) => placesOf(entry, [...place, key]))];
}

function valueAt(value: Json, place: Place): Json {
  return place.reduce<Json>((within, key) => (within as Record<string | number, Json>)[key] ?? null, value);
}

function applyEdit(value: Json, { kind, at, from, key, value: added }: Edit): Json {
  const places = placesOf(value);
  const place = places[at % places.length] ?? [];
  const target = valueAt(value, place);
  switch (kind) {
    case 'replace':
      return changed(value, place, () => [added]);
    case 'graft':
      return changed(value, place, () => [valueAt(value, places[from % places.length] ?? [])]);
    case 'remove':
      return changed(value, place, () => []);
    case 'duplicate':
      return changed(value, place, () => [target, target]);
    case 'rename':
      return changed(value, place, () => [target], key);
    case 'add':
      if (Array.isArray(target)) return changed(value, place, () => [[...target, added]]);
      if (typeof target !== 'object' || target === null) return changed(value, place, () => [[target, added]]);
      return changed(value, place, () => [Object.fromEntries([...Object.entries(target), [key, added]])]);
  }
}

/** The value with the values that replace the one at the place: none removes it, a second one is added beside it where a list has room. */
function changed(value: Json, [key, ...rest]: Place, replace: () => Json[], newKey?: string): Json {
  if (key === undefined) return replace()[0] ?? null;
  const isLast = rest.length === 0;
  const entry = (value as Record<string | number, Json>)[key] ?? null;
  const replaced = isLast ? replace() : [changed(entry, rest, replace, newKey)];
  if (Array.isArray(value)) return [...value.slice(0, Number(key)), ...replaced, ...value.slice(Number(key) + 1)];
  const entries = Object.entries(value as Record<string, Json>).flatMap(([name, each]): [string, Json][] => {
    if (name !== key) return [[name, each]];
    return replaced.slice(0, 1).map((instead) => [isLast ? (newKey ?? name) : name, instead]);
  });
  return Object.fromEntries(entries);
}
