/** Bytes that arrive in chunks. */
export interface ByteBuffer {
  readonly size: number;
  append(chunk: Uint8Array): void;
  /** Returns all bytes; the buffer is empty again. */
  take(): Buffer;
}

/**
 * Copies each chunk into one buffer that doubles: a server may send single bytes, and a list of chunks needs more than 100 bytes of memory
 * for each of them.
 */
export function createByteBuffer(): ByteBuffer {
  let bytes = Buffer.alloc(0);
  let size = 0;
  return {
    get size() {
      return size;
    },
    append(chunk) {
      if (size + chunk.byteLength > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, size + chunk.byteLength));
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      bytes.set(chunk, size);
      size += chunk.byteLength;
    },
    take() {
      const taken = bytes.subarray(0, size);
      bytes = Buffer.alloc(0);
      size = 0;
      return taken;
    },
  };
}
