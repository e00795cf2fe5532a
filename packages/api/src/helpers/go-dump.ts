import { compareUtf8 } from './utf8.js';

/** How spew, a Go library, prints a struct with `%#v`: each field with its type. The kubelet's checksums of checkpoints cover such texts. */
export function dumpGoStruct(fields: Readonly<Record<string, readonly [type: string, value: string | number]>>): string {
  return `{${Object.entries(fields)
    .map(([name, [type, value]]) => `${name}:(${type})${value}`)
    .join(' ')}}`;
}

/** {@link dumpGoStruct} for a map: sorted by key, without types. `keys` is the type of its keys in Go; `dump` prints a value. */
export function dumpGoMap<T>(keys: 'string' | 'int', map: Readonly<Record<string, T>>, dump: (value: T) => string | number): string {
  const compare = keys === 'int' ? (a: string, b: string) => Number(a) - Number(b) : compareUtf8;
  const entries = Object.entries(map).sort(([a], [b]) => compare(a, b));
  return `map[${entries.map(([key, value]) => `${key}:${dump(value)}`).join(' ')}]`;
}

/** {@link dumpGoStruct} for a slice. */
export function dumpGoSlice(values: Iterable<string | number>): string {
  return `[${[...values].join(' ')}]`;
}
