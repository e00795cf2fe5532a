import fc, { type Arbitrary } from 'fast-check';

/** Bytes as text, so that an input is JSON. */
export const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
export const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64');

/** The bytes of a field of an input, as {@link toBase64} writes them. */
export function base64Field<Name extends string>(name: Name) {
  return {
    read: (input: Record<Name, string>) => fromBase64(input[name]),
    write: <Input extends Record<Name, string>>(input: Input, bytes: Buffer): Input => ({ ...input, [name]: toBase64(bytes) }),
  };
}

/** The text of a field of an input, as UTF-8. */
export function textField<Name extends string>(name: Name) {
  return {
    read: (input: Record<Name, string>) => Buffer.from(input[name]),
    write: <Input extends Record<Name, string>>(input: Input, bytes: Buffer): Input => ({ ...input, [name]: bytes.toString() }),
  };
}

/** Lengths and numbers that overflow, in the encodings of protobuf and of big-endian frames. */
const oddBytes = [
  [0],
  [0xff],
  [0x80],
  [0x7f, 0xff, 0xff, 0xff],
  [0x80, 0, 0, 0],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  [0xc3, 0x28],
  Array<number>(300).fill(0x0b),
].map((bytes) => Uint8Array.from(bytes));

const noise: Arbitrary<Uint8Array> = fc.oneof(fc.constantFrom(...oddBytes), fc.uint8Array({ maxLength: 12 }));

/** Bytes with some cut, repeated, flipped or overwritten. */
export function mutatedBytes(bytes: Arbitrary<Uint8Array>, maxEdits = 4): Arbitrary<Buffer> {
  const edit = fc.record({
    at: fc.nat(1_000),
    length: fc.oneof(fc.constantFrom(0, 1, 1), fc.nat(30)),
    kind: fc.constantFrom('overwrite', 'insert', 'remove', 'repeat', 'flip', 'truncate'),
    noise,
  });
  return fc.tuple(bytes, fc.array(edit, { maxLength: maxEdits })).map(([original, edits]) =>
    edits.reduce<Buffer>((current, { at, length, kind, noise }) => {
      const start = Math.floor((at * current.length) / 1_000);
      const [before, part, after] = [current.subarray(0, start), current.subarray(start, start + length), current.subarray(start + length)];
      switch (kind) {
        case 'overwrite':
          return Buffer.concat([before, noise, after]);
        case 'insert':
          return Buffer.concat([before, noise, part, after]);
        case 'remove':
          return Buffer.concat([before, after]);
        case 'repeat':
          return Buffer.concat([before, part, part, part, after]);
        case 'flip':
          return Buffer.concat([before, part.map((byte, index) => byte ^ (1 << ((index + at) % 8))), after]);
        default:
          return before;
      }
    }, Buffer.from(original)),
  );
}

/** Sizes of the chunks in which bytes arrive. */
export const chunkSizes: Arbitrary<number[]> = fc.array(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3_000 })), {
  minLength: 1,
  maxLength: 8,
});

/** Enough for every boundary of a small input; the rest of a large one is one chunk. */
const maxChunks = 400;

/** Splits bytes into copies of chunks; the sizes repeat. */
export function chunksOf(bytes: Uint8Array, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = index === maxChunks ? bytes.length : (sizes[index % sizes.length] ?? 1);
    chunks.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return chunks;
}
