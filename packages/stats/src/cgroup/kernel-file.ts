import { encodeUtf8, latin1 } from '@nodeagent/api/helpers';

/**
 * The content of a file of the kernel: `bytes` up to `length`. The next read overwrites the buffer, so callers must not keep it. Parsers do
 * not convert it to a string, because a node has thousands of such files, which are read every few seconds.
 */
export interface KernelFile {
  readonly bytes: Uint8Array;
  readonly length: number;
}

const newline = 10;
const space = 32;
const dot = 46;
const zero = 48;
const nine = 57;
/** Maximum number of digits that a number represents exactly. */
const safeDigits = 15;

/** The value of the kernel's `max`: the maximum uint64. */
export const unlimited = 0xffff_ffff_ffff_ffffn;

const maxWord = encodeUtf8('max\n');

interface Key {
  readonly bytes: Uint8Array;
  readonly index: number;
}

/** Keys of lines such as `anon 123`, by length, so that a line is compared only with keys of its length. */
export interface Keys {
  readonly count: number;
  readonly byLength: readonly (readonly Key[])[];
}

const noKeys: readonly Key[] = [];

/** Keys for {@link keyedValues}, which returns their values in this order. */
export function keysOf(...names: string[]): Keys {
  const keys = names.map((name, index) => ({ bytes: encodeUtf8(name), index }));
  const longest = Math.max(...names.map(({ length }) => length));
  const byLength = Array.from({ length: longest + 1 }, (_, length) => keys.filter(({ bytes }) => bytes.length === length));
  return { count: names.length, byLength };
}

/** Creates a kernel file from a string. */
export function kernelFile(text: string): KernelFile {
  const bytes = encodeUtf8(text);
  return { bytes, length: bytes.length };
}

/** The integer at `offset`; undefined unless a blank or a line end follows its digits, because it may be truncated. */
export function numberAt({ bytes, length }: KernelFile, offset: number): bigint | undefined {
  let end = offset;
  while (end < length && isDigit(bytes[end])) end++;
  if (end === offset || end === length || (bytes[end] !== newline && bytes[end] !== space)) return undefined;
  let value = 0;
  const safeEnd = Math.min(end, offset + safeDigits);
  for (let index = offset; index < safeEnd; index++) value = value * 10 + digit(bytes[index]);
  if (end === safeEnd) return BigInt(value);
  let large = BigInt(value);
  for (let index = safeEnd; index < end; index++) large = large * 10n + BigInt(digit(bytes[index]));
  return large;
}

/** The decimal number at `offset`, as in `avg10=1.25 `. */
export function decimalAt({ bytes, length }: KernelFile, offset: number): number | undefined {
  let value = 0;
  let scale = 0;
  let index = offset;
  for (; index < length; index++) {
    const byte = bytes[index];
    if (byte === dot && scale === 0) scale = 1;
    else if (isDigit(byte)) {
      value = value * 10 + digit(byte);
      if (scale > 0) scale *= 10;
    } else break;
  }
  const isWhole = index > offset && index < length && (bytes[index] === space || bytes[index] === newline);
  return isWhole ? value / Math.max(1, scale) : undefined;
}

/** The value of a file that contains a single number; {@link unlimited} for `max`. */
export function singleValue(file: KernelFile): bigint | undefined {
  return startsWith(file, 0, maxWord) ? unlimited : numberAt(file, 0);
}

/**
 * Reads the numbers of a file with lines `key number` into `values`, in the order of `keys`; undefined for a key that is missing or whose
 * line is truncated.
 */
export function keyedValues(file: KernelFile, { count, byLength }: Keys, values: (bigint | undefined)[]): void {
  const { bytes, length } = file;
  values.fill(undefined, 0, count);
  let left = count;
  for (let line = 0; line < length && left > 0; ) {
    let end = line;
    while (end < length && bytes[end] !== space && bytes[end] !== newline) end++;
    for (const key of byLength[end - line] ?? noKeys) {
      if (bytes[end] !== space || !startsWith(file, line, key.bytes)) continue;
      values[key.index] = numberAt(file, end + 1);
      left--;
      break;
    }
    line = nextLine(file, end);
  }
}

/** The number of the first line that starts with `key`. */
export function lineValue(file: KernelFile, key: Uint8Array): bigint | undefined {
  for (let line = 0; line < file.length; line = nextLine(file, line)) {
    if (startsWith(file, line, key)) return numberAt(file, line + key.length);
  }
  return undefined;
}

/** Offset of the line after the one at `offset`. */
export function nextLine({ bytes, length }: KernelFile, offset: number): number {
  let end = offset;
  while (end < length && bytes[end] !== newline) end++;
  return Math.min(end + 1, length);
}

/** Number of complete lines. */
export function countLines({ bytes, length }: KernelFile): number {
  let count = 0;
  for (let index = 0; index < length; index++) if (bytes[index] === newline) count++;
  return count;
}

export function startsWith({ bytes, length }: KernelFile, offset: number, prefix: Uint8Array): boolean {
  if (offset + prefix.length > length) return false;
  for (let index = 0; index < prefix.length; index++) if (bytes[offset + index] !== prefix[index]) return false;
  return true;
}

/** Offset after the blanks at `offset`. */
export function skipSpaces({ bytes, length }: KernelFile, offset: number): number {
  let index = offset;
  while (index < length && bytes[index] === space) index++;
  return index;
}

/** The file as a string, for files that are read rarely. */
export function textOf({ bytes, length }: KernelFile): string {
  return latin1(bytes.subarray(0, length));
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= zero && byte <= nine;
const digit = (byte: number | undefined) => (byte ?? zero) - zero;
