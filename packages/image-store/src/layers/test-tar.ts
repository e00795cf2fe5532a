import { createTarWriter } from '../archive/tar-stream.js';

/** An entry of an archive of a test. */
export interface TestEntry {
  name: string;
  /** Default: a file. */
  type?: 'file' | 'directory' | 'symlink' | 'link' | 'character-device' | 'fifo';
  content?: string;
  linkname?: string;
  mode?: number;
  uid?: number;
  gid?: number;
  /** Records of its extended header. */
  pax?: Record<string, string>;
}

/** A tar archive of these entries, as they are. */
export async function testTar(...entries: TestEntry[]): Promise<Buffer> {
  const writer = createTarWriter();
  for (const { content = '', type = 'file', mode = type === 'directory' ? 0o755 : 0o644, ...header } of entries)
    writer.entry({ size: Buffer.byteLength(content), mtime: new Date(1000), mode, type, ...header }).end(content);
  writer.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of writer) chunks.push(chunk);
  return Buffer.concat(chunks);
}
