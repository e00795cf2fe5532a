import type { FileHandle } from 'node:fs/promises';
import { withPath } from '@nodeagent/api/files';

/** Appends chunks to a file, many with one call. */
export interface BufferedOutput {
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves once all chunks are in the file. */
  flush(): Promise<void>;
  /** Resolves once all chunks are on the disk. */
  sync(): Promise<void>;
  /** Drops the chunks that are not in the file yet. */
  discard(): void;
}

/** Chunks of a connection are small, and a call for each takes longer than to receive and to hash them. */
const bufferBytes = 512 * 1024;

/** Creates a {@link BufferedOutput}. Its errors name the path. */
export function createBufferedOutput(file: FileHandle, path: string): BufferedOutput {
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
      try {
        const { bytesWritten } = await file.writev(all);
        if (bytesWritten < length) await file.appendFile(Buffer.concat(all).subarray(bytesWritten));
      } catch (error) {
        throw withPath(error, path);
      }
    },
    async sync() {
      await output.flush();
      await file.datasync().catch((error) => {
        throw withPath(error, path);
      });
    },
    discard() {
      chunks = [];
      bytes = 0;
    },
  };
  return output;
}
