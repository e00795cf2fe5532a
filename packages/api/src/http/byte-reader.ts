import { concatBytes } from './bytes.js';

const newline = 0x0a;

/** Reads lines and bytes from the chunks of a connection, no further than necessary. */
export interface ByteReader {
  /** The error with which the connection failed. */
  readonly failure: unknown;
  /** The next line with its newline, without it at the end of the input; undefined if the input has ended. Throws `tooLong` beyond `maxBytes`. */
  line(maxBytes: number, tooLong: Error): Promise<Uint8Array | undefined>;
  /** At least one byte and at most `maxBytes`; none if the input has ended. */
  some(maxBytes: number): Promise<Uint8Array>;
}

export function createByteReader(chunks: AsyncIterator<Uint8Array>): ByteReader {
  let failure: unknown;
  let hasEnded = false;
  let rest: Uint8Array = new Uint8Array();

  const take = (count: number): Uint8Array => {
    const taken = rest.subarray(0, count);
    rest = rest.subarray(taken.length);
    return taken;
  };
  /** Waits for the next chunk that is not empty; false if the input has ended. */
  const fill = async (): Promise<boolean> => {
    while (rest.length === 0 && !hasEnded) {
      const { value, done } = await chunks.next().catch((error) => {
        failure = error;
        throw error;
      });
      if (done) hasEnded = true;
      else rest = value;
    }
    return rest.length > 0;
  };

  return {
    get failure() {
      return failure;
    },
    async line(maxBytes, tooLong) {
      const parts: Uint8Array[] = [];
      for (let length = 0; ; ) {
        const end = rest.indexOf(newline);
        const part = take(end < 0 ? rest.length : end + 1);
        length += part.length;
        parts.push(part);
        if (length > maxBytes) throw tooLong;
        if (end >= 0) return concatBytes(parts);
        if (!(await fill())) return length === 0 ? undefined : concatBytes(parts);
      }
    },
    async some(maxBytes) {
      if (rest.length === 0) await fill();
      return take(maxBytes);
    },
  };
}
