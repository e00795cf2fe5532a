/** How spew, a Go library, prints a struct with `%#v`: each field with its type. The kubelet's checksums of checkpoints cover such texts. */
export function dumpGoStruct(fields: Readonly<Record<string, readonly [type: string, value: string | number]>>): string {
  return `{${Object.entries(fields)
    .map(([name, [type, value]]) => `${name}:(${type})${value}`)
    .join(' ')}}`;
}

/** {@link dumpGoStruct} for a map: sorted by key, without types. `keys` is the type of its keys in Go; `dump` prints a value. */
export function dumpGoMap<T>(keys: 'string' | 'int', map: Readonly<Record<string, T>>, dump: (value: T) => string | number): string {
  const compare = keys === 'int' ? (a: string, b: string) => Number(a) - Number(b) : compareBytes;
  const entries = Object.entries(map).sort(([a], [b]) => compare(a, b));
  return `map[${entries.map(([key, value]) => `${key}:${dump(value)}`).join(' ')}]`;
}

/** {@link dumpGoStruct} for a slice. */
export function dumpGoSlice(values: Iterable<string | number>): string {
  return `[${[...values].join(' ')}]`;
}

const encoder = new TextEncoder();

function compareBytes(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}
