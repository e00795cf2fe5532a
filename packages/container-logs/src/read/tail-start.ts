/** What can be read of an open file at any place. */
export interface ReadableFile {
  size(): Promise<number>;
  /** Fills the target from this place of the file on and resolves with how many bytes there were; 0 at the end. */
  read(target: Uint8Array, position: number): Promise<number>;
}

const newline = 0x0a;
const blockSize = 64 * 1024;

/**
 * Where the last `count` complete lines of a file begin: what follows its last newline does not count as one. 0 if there are not more.
 * Reads backwards, only as much as those lines take.
 */
export async function findTailStart(file: ReadableFile, count: number, signal?: AbortSignal): Promise<number> {
  let end = await file.size();
  let found = 0;
  const block = Buffer.allocUnsafe(Math.min(blockSize, end));
  while (end > 0) {
    signal?.throwIfAborted();
    const start = Math.max(0, end - block.length);
    const length = await file.read(block.subarray(0, end - start), start);
    for (let at = block.lastIndexOf(newline, length - 1); at >= 0 && length > 0; at = at === 0 ? -1 : block.lastIndexOf(newline, at - 1)) {
      if (found === count) return start + at + 1;
      found++;
    }
    end = start;
  }
  return 0;
}
