const encoder = new TextEncoder();
const scratch = new DataView(new ArrayBuffer(8));

/** Collects the bytes of a message. */
export class Writer {
  #bytes = new Uint8Array(256);
  #length = 0;
  /** Where the values start that are not ended yet. */
  readonly #starts: number[] = [];

  /** Number of bytes so far, with the one that each open value reserves for its length. */
  get size(): number {
    return this.#length;
  }

  /** The bytes so far. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of the bytes from a position on: of a value that started there and has ended. */
  since(position: number): Uint8Array {
    return this.#bytes.slice(position, this.#length);
  }

  /** Bytes as they are, such as those of `since`. */
  raw(value: Uint8Array): this {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  /** A number without a sign, or a tag. */
  uint32(value: number): this {
    this.#reserve(5);
    let rest = value >>> 0;
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#length++] = (rest & 127) | 128;
    this.#bytes[this.#length++] = rest;
    return this;
  }

  /** A negative number takes ten bytes, as one of 64 bits. */
  int32(value: number): this {
    return value >= 0 ? this.uint32(value) : this.int64(BigInt(value | 0));
  }

  bool(value: boolean): this {
    return this.uint32(value ? 1 : 0);
  }

  /** For numbers with and without a sign, which have the same 64 bits. Larger ones wrap around. */
  int64(value: bigint | number): this {
    if (typeof value === 'number' && value >= 0 && value < 2 ** 32) return this.uint32(value);
    this.#reserve(10);
    scratch.setBigInt64(0, BigInt(value), true);
    let low = scratch.getUint32(0, true);
    let high = scratch.getUint32(4, true);
    while (high !== 0 || low > 127) {
      this.#bytes[this.#length++] = (low & 127) | 128;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.#bytes[this.#length++] = low;
    return this;
  }

  double(value: number): this {
    this.#reserve(8);
    scratch.setFloat64(0, value, true);
    for (let i = 0; i < 8; i++) this.#bytes[this.#length++] = scratch.getUint8(i);
    return this;
  }

  string(text: string): this {
    const size = text.length;
    if (size > 127) return this.bytes(encoder.encode(text));
    // Most texts are short and ASCII: a call of the encoder takes longer than their characters.
    this.#reserve(size + 1);
    const start = this.#length + 1;
    for (let i = 0; i < size; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) return this.bytes(encoder.encode(text));
      this.#bytes[start + i] = code;
    }
    this.#bytes[start - 1] = size;
    this.#length = start + size;
    return this;
  }

  /** The bytes, after their number. */
  bytes(value: Uint8Array): this {
    return this.uint32(value.length).raw(value);
  }

  /** Begins a value with a length: a message or a packed list. Values may be inside of each other. */
  begin(): this {
    this.#reserve(1);
    this.#starts.push(++this.#length);
    return this;
  }

  /** Ends the value that began last, and writes its length before it. */
  end(): this {
    const start = this.#starts.pop() ?? 0;
    const size = this.#length - start;
    let extra = 0;
    for (let rest = size >>> 7; rest > 0; rest >>>= 7) extra++;
    if (extra > 0) {
      this.#reserve(extra);
      this.#bytes.copyWithin(start + extra, start, this.#length);
    }
    this.#length = start - 1;
    this.uint32(size);
    this.#length += size;
    return this;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
