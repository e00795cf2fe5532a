// @ts-expect-error: tar-stream has no types; those below are of what this package uses.
import * as tarStream from 'tar-stream';

interface TarEntry extends AsyncIterable<Uint8Array> {
  header: { name: string; type: string | null; size: number; linkname: string | null };
  resume(): void;
}

interface TarReader extends NodeJS.WritableStream {
  [Symbol.asyncIterator](): AsyncIterator<TarEntry>;
}

interface TarWriter extends AsyncIterable<Uint8Array> {
  entry(header: {
    name: string;
    size: number;
    mtime: Date;
    mode: number;
    type?: string;
    pax?: Record<string, string>;
  }): NodeJS.WritableStream;
  finalize(): void;
  destroy(error?: unknown): void;
}

const { extract, pack } = tarStream as { extract(): TarReader; pack(): TarWriter };

/** Reads a tar archive that is written to it. */
export const createTarReader = (): TarReader => extract();

/** Writes a tar archive, entry by entry. */
export const createTarWriter = (): TarWriter => pack();
