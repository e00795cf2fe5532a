/** Reads lines and bytes from the chunks of a connection, no further than necessary. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  /** The error with which the connection failed. */
  failure: unknown;

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  /** The next line with its newline, without it at the end of the input; undefined if the input has ended. Throws `tooLong` beyond `maxBytes`. */
  async line(maxBytes: number, tooLong: Error): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let length = 0; ; ) {
      const end = this.#rest.indexOf('\n');
      const part = this.#take(end < 0 ? this.#rest.length : end + 1);
      length += part.length;
      parts.push(part);
      if (length > maxBytes) throw tooLong;
      if (end >= 0) return Buffer.concat(parts);
      if (!(await this.#fill())) return length === 0 ? undefined : Buffer.concat(parts);
    }
  }

  /** At least one byte and at most `maxBytes`; none if the input has ended. */
  async some(maxBytes: number): Promise<Buffer> {
    if (this.#rest.length === 0) await this.#fill();
    return this.#take(maxBytes);
  }

  #take(count: number): Buffer {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0 && !this.#hasEnded) {
      const { value, done } = await this.#chunks.next().catch((error) => {
        this.failure = error;
        throw error;
      });
      if (done) this.#hasEnded = true;
      else this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return this.#rest.length > 0;
  }
}
