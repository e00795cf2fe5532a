/** Bytes that arrive in chunks. */
export interface ByteBuffer {
  readonly size: number;
  append(chunk: Uint8Array): void;
  /** Returns all bytes; the buffer is empty again. */
  take(): Uint8Array;
}

/**
 * Copies each chunk into one buffer that doubles: a server may send single bytes, and a list of chunks needs more than 100 bytes of memory
 * for each of them.
 */
export function createByteBuffer(): ByteBuffer {
  let bytes = new Uint8Array(0);
  let size = 0;
  return {
    get size() {
      return size;
    },
    append(chunk) {
      if (size + chunk.byteLength > bytes.length) {
        const larger = new Uint8Array(Math.max(2 * bytes.length, size + chunk.byteLength));
        larger.set(bytes.subarray(0, size));
        bytes = larger;
      }
      bytes.set(chunk, size);
      size += chunk.byteLength;
    },
    take() {
      const taken = bytes.subarray(0, size);
      bytes = new Uint8Array(0);
      size = 0;
      return taken;
    },
  };
}
