/** The wire types: Protocol Buffers documentation, "Encoding". */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const scratch = new DataView(new ArrayBuffer(8));

/** A field that no message can have: its number or its wire type is invalid. Other TypeErrors are faults of the program. */
export class InvalidField extends TypeError {
  override readonly name = 'InvalidField';
}

/**
 * Reads a message from front to back. Methods throw a RangeError at the end of the message and for a number of more than 64 bits, and
 * {@link InvalidField} for a field that no message can have.
 */
export class Reader {
  readonly bytes: Uint8Array;
  readonly length: number;
  position = 0;
  /** The high half of the last number. */
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.length = bytes.length;
  }

  /** Number and wire type of the next field, `8 * number + type`. */
  tag(): number {
    const tag = this.uint32();
    if (tag < 8 || this.#high !== 0) throw new InvalidField('a field of the message has an invalid number');
    return tag;
  }

  /** The low 32 bits of a number. */
  uint32(): number {
    const byte = this.bytes[this.position];
    // Most numbers have one byte.
    if (byte !== undefined && byte < 128) {
      this.position += 1;
      this.#high = 0;
      return byte;
    }
    return this.#number();
  }

  int32(): number {
    return this.uint32() | 0;
  }

  bool(): boolean {
    return this.uint32() !== 0 || this.#high !== 0;
  }

  int64(): bigint {
    const low = this.uint32();
    return this.#high === 0 ? BigInt(low) : halves(low, this.#high).getBigInt64(0, true);
  }

  uint64(): bigint {
    const low = this.uint32();
    return this.#high === 0 ? BigInt(low) : halves(low, this.#high).getBigUint64(0, true);
  }

  double(): number {
    const start = this.#advance(8);
    for (let i = 0; i < 8; i++) scratch.setUint8(i, this.bytes[start + i] ?? 0);
    return scratch.getFloat64(0, true);
  }

  string(): string {
    return decoder.decode(this.view());
  }

  /** The bytes of a value, not copied. */
  view(): Uint8Array {
    const start = this.#advance(this.#size());
    return this.bytes.subarray(start, this.position);
  }

  /** Where the value ends that starts with its length here: a message or a packed list. */
  endOfValue(): number {
    const size = this.#size();
    if (size > this.length - this.position) throw tooShort();
    return this.position + size;
  }

  /** Skips the value of a field. */
  skip(tag: number): void {
    const type = tag & 7;
    if (type === wireTypes.varint) this.uint32();
    else if (type === wireTypes.bytes) this.#advance(this.#size());
    else if (type === wireTypes.fixed64) this.#advance(8);
    else if (type === wireTypes.fixed32) this.#advance(4);
    else throw new InvalidField(`a field of the message has the unknown type ${type}`);
  }

  #size(): number {
    const size = this.uint32();
    if (this.#high !== 0) throw tooShort();
    return size;
  }

  /** Returns where the skipped bytes start. */
  #advance(size: number): number {
    const start = this.position;
    if (size > this.length - start) throw tooShort();
    this.position = start + size;
    return start;
  }

  /** Returns the low half, and keeps the high one. */
  #number(): number {
    let low = 0;
    let high = 0;
    let position = this.position;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.bytes[position++];
      if (byte === undefined) throw new RangeError('the message ends within a number');
      if (shift < 28) low |= (byte & 127) << shift;
      else if (shift === 28) {
        low |= (byte & 127) << 28;
        high = (byte & 127) >> 4;
      } else high |= (byte & 127) << (shift - 32);
      if (byte < 128) {
        if (shift === 63 && byte > 1) break;
        this.position = position;
        this.#high = high;
        return low >>> 0;
      }
    }
    throw new RangeError('a number of the message has more than 64 bits');
  }
}

const tooShort = () => new RangeError('the message ends within a field');

function halves(low: number, high: number): DataView {
  scratch.setUint32(0, low, true);
  scratch.setInt32(4, high, true);
  return scratch;
}

/** A field of a message of any type: a number, or the bytes of another value. */
export interface RawField {
  number: number;
  type: number;
  value: bigint | Uint8Array;
}

/** The fields of a message of any type, in their order. Throws as {@link Reader}. */
export function rawFields(bytes: Uint8Array): RawField[] {
  const reader = new Reader(bytes);
  const fields: RawField[] = [];
  while (reader.position < reader.length) {
    const tag = reader.tag();
    const [number, type, start] = [tag >>> 3, tag & 7, reader.position];
    if (type === wireTypes.varint) fields.push({ number, type, value: reader.uint64() });
    else if (type === wireTypes.bytes) fields.push({ number, type, value: reader.view() });
    else {
      reader.skip(tag);
      fields.push({ number, type, value: bytes.subarray(start, reader.position) });
    }
  }
  return fields;
}
