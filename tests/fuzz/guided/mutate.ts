import type { Random } from '@nodeagent/api';

/** Larger inputs would only be slower. */
const maxBytes = 16_384;

/** What edits take their bytes from. */
export interface Material {
  random: Random;
  /** Bytes that the code compares with. */
  pieces: readonly Buffer[];
  /** Another input. */
  other: Buffer;
}

type Edit = (bytes: Buffer, material: Material) => Buffer;

const natural = (random: Random, limit: number) => Math.floor(random() * limit);
const oneOf = <T>(random: Random, values: readonly T[]) => values[natural(random, values.length)];

/** A place and a length, mostly a short one. */
function rangeIn(bytes: Buffer, random: Random): [start: number, end: number] {
  const start = natural(random, bytes.length + 1);
  const length = random() < 0.8 ? natural(random, 9) : natural(random, bytes.length + 1);
  return [start, Math.min(bytes.length, start + length)];
}

function replaced(bytes: Buffer, [start, end]: readonly [number, number], by: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, start), by, bytes.subarray(end)]);
}

/** The bytes with one byte, or a number of two or four, changed. */
function changed(bytes: Buffer, random: Random, change: (value: number) => number): Buffer {
  const size = oneOf(
    random,
    [1, 1, 2, 4].filter((each) => each <= bytes.length),
  );
  if (size === undefined) return bytes;
  const copy = Buffer.from(bytes);
  const at = natural(random, bytes.length - size + 1);
  copy.writeUIntBE(change(copy.readUIntBE(at, size)) % 2 ** (8 * size), at, size);
  return copy;
}

const edits: readonly Edit[] = [
  (bytes, { random }) => changed(bytes, random, (value) => (value ^ (1 << natural(random, 8))) >>> 0),
  (bytes, { random }) => changed(bytes, random, (value) => value + 1 + natural(random, 8)),
  (bytes, { random }) => changed(bytes, random, (value) => Math.max(0, value - 1 - natural(random, 8))),
  (bytes, { random }) =>
    changed(bytes, random, () => oneOf(random, [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0xffff_ffff]) ?? 0),
  (bytes, { random }) => changed(bytes, random, () => natural(random, 2 ** 32)),
  (bytes, { random }) => replaced(bytes, rangeIn(bytes, random), Buffer.alloc(0)),
  (bytes, { random }) => {
    const [start, end] = rangeIn(bytes, random);
    return replaced(bytes, [start, start], bytes.subarray(start, end));
  },
  (bytes, { random }) => {
    const [start, end] = rangeIn(bytes, random);
    const at = natural(random, bytes.length + 1);
    return replaced(bytes, [at, at], bytes.subarray(start, end));
  },
  (bytes, { random, other }) => replaced(bytes, rangeIn(bytes, random), other.subarray(...rangeIn(other, random))),
  (bytes, { random, other }) =>
    Buffer.concat([bytes.subarray(0, natural(random, bytes.length + 1)), other.subarray(natural(random, other.length + 1))]),
  (bytes, { random, pieces }) => replaced(bytes, rangeIn(bytes, random), oneOf(random, pieces) ?? Buffer.alloc(0)),
  (bytes, { random, pieces }) => {
    const at = natural(random, bytes.length + 1);
    return replaced(bytes, [at, at], oneOf(random, pieces) ?? Buffer.alloc(0));
  },
];

/** The bytes with one to sixteen random edits. */
export function mutate(bytes: Buffer, material: Material): Buffer {
  let current = bytes;
  for (let left = 2 ** natural(material.random, 5); left > 0; left--)
    current = oneOf(material.random, edits)?.(current, material) ?? current;
  return current.subarray(0, Math.max(maxBytes, bytes.length));
}

/** Literals of the source as bytes: texts, and numbers in the encodings of frames and of protobuf. */
export function piecesOf(literals: readonly (string | number)[]): Buffer[] {
  return literals.flatMap((literal) => {
    if (typeof literal === 'string') return literal.length > 0 && literal.length <= 64 ? [Buffer.from(literal)] : [];
    if (!Number.isSafeInteger(literal) || literal < 0 || literal > 0xffff_ffff) return [Buffer.from(String(literal))];
    const sizes = [1, 2, 3, 4].filter((size) => literal < 2 ** (8 * size));
    return [Buffer.from(String(literal)), ...sizes.map((size) => bigEndian(literal, size))];
  });
}

function bigEndian(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
}
