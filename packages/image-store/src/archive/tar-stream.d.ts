/** What this package uses of tar-stream, which has no types. */
declare module 'tar-stream' {
  interface Header {
    name: string;
    type: string | null;
    size: number;
    linkname: string | null;
  }
  interface Entry extends AsyncIterable<Uint8Array> {
    header: Header;
    resume(): void;
  }
  export function extract(): NodeJS.WritableStream & AsyncIterable<Entry>;
  interface Pack extends AsyncIterable<Uint8Array> {
    entry(header: { name: string; size: number; mtime: Date; mode: number }): NodeJS.WritableStream;
    finalize(): void;
    destroy(error?: unknown): void;
  }
  export function pack(): Pack;
}
