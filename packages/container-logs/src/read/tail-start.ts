/** An open file with random access. */
export interface ReadableFile {
  size(): Promise<number>;
  /** Reads from the position into the target; resolves with the number of bytes, 0 at the end of the file. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** A buffer to read into. Default: a Uint8Array, in which a search for line ends takes many times as long as in a Buffer of Node. */
  allocate?(bytes: number): Uint8Array;
}

export const allocateFor = (file: ReadableFile, bytes: number) => file.allocate?.(bytes) ?? new Uint8Array(bytes);

const newline = 0x0a;
const blockSize = 64 * 1024;

/**
 * The position of the last `count` complete lines of a file; bytes after the last newline do not count as a line. 0 if the file has no
 * more lines. Reads backwards, no further than necessary.
 */
export async function findTailStart(file: ReadableFile, count: number, signal?: AbortSignal): Promise<number> {
  let end = await file.size();
  let found = 0;
  const block = allocateFor(file, Math.min(blockSize, end));
  while (end > 0) {
    signal?.throwIfAborted();
    const start = Math.max(0, end - block.length);
    const length = await readFully(file, block.subarray(0, end - start), start);
    for (let at = block.lastIndexOf(newline, length - 1); at >= 0 && length > 0; at = at === 0 ? -1 : block.lastIndexOf(newline, at - 1)) {
      if (found === count) return start + at + 1;
      found++;
    }
    end = start;
  }
  return 0;
}

/** A read may return fewer bytes than requested, also before the end of the file. */
async function readFully(file: ReadableFile, target: Uint8Array, position: number): Promise<number> {
  let length = 0;
  while (length < target.length) {
    const count = await file.read(target.subarray(length), position + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}
