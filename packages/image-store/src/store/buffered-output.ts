import type { FileHandle } from 'node:fs/promises';

/** Appends chunks to a file, many with one call. */
export interface BufferedOutput {
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves once all chunks are in the file. */
  flush(): Promise<void>;
  /** Drops the chunks that are not in the file yet. */
  discard(): void;
}

/** Chunks of a connection are small, and a call for each takes longer than to receive and to hash them. */
const bufferBytes = 512 * 1024;

/** Creates a {@link BufferedOutput}. */
export function createBufferedOutput(file: FileHandle): BufferedOutput {
  let chunks: Uint8Array[] = [];
  let bytes = 0;

  const output: BufferedOutput = {
    async write(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= bufferBytes) await output.flush();
    },
    async flush() {
      const [all, length] = [chunks, bytes];
      output.discard();
      if (length === 0) return;
      const { bytesWritten } = await file.writev(all);
      if (bytesWritten < length) await file.appendFile(Buffer.concat(all).subarray(bytesWritten));
    },
    discard() {
      chunks = [];
      bytes = 0;
    },
  };
  return output;
}
