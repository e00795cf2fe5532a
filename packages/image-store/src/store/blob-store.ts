import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, NodeAgentError } from '@nodeagent/api';
import { unlinkIfExists } from '@nodeagent/api/files';
import { imageStoreErrorCodes } from '../errors.js';
import { type ContentDescriptor, splitDigest } from '../image/descriptor.js';
import { type LayerCompression, maxManifestBytes } from '../image/manifest.js';
import { compressionOf } from '../layers/decompress.js';
import { createBufferedOutput } from './buffered-output.js';

type Content = Pick<ContentDescriptor, 'digest' | 'size'>;

/** Writes one blob. What it wrote stays after `close`, and the next writer of the blob continues there. */
export interface BlobWriter {
  /** Bytes so far. */
  readonly offset: number;
  /** Rejects with `ContentMismatch` if the content is longer than its size. */
  write(chunk: Uint8Array): Promise<void>;
  /** Begins again at the first byte. */
  restart(): Promise<void>;
  /** Makes the blob part of the store, once its size and digest are right. Else rejects with `ContentMismatch` and begins again. */
  commit(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
  close(): Promise<void>;
}

/** Content by digest, in the folders of an OCI image layout. Nothing below `blobs` is ever incomplete. */
export interface BlobReader {
  path(digest: string): string;
  /** Whether the blob is there with this size. Another size does not mean that it is damaged: a hostile image may name content of others. */
  has(content: Content): Promise<boolean>;
  /** The content of a manifest or configuration, verified. Rejects with `ContentMismatch`, also if it is larger than one may be. */
  read(content: Content): Promise<string>;
  /** The digests of all blobs. */
  list(): Promise<string[]>;
  /** Bytes and files of all blobs. */
  usage(): Promise<{ usedBytes: number; usedInodes: number }>;
}

/** Content of a folder that this process alone changes. `read` removes a blob that is damaged. */
export interface BlobStore extends BlobReader {
  /** Only one writer of a digest at a time. */
  writer(content: Content): Promise<BlobWriter>;
  add(content: Content, bytes: Uint8Array): Promise<void>;
  /** Adds content whose digest is not known before, unless `check` throws for it. Default algorithm: sha256. */
  addStream(
    chunks: AsyncIterable<Uint8Array>,
    algorithm?: string,
    check?: (digest: string) => void,
  ): Promise<{ digest: string; size: number; compression: LayerCompression }>;
  remove(digest: string): Promise<void>;
  /** Removes what unfinished writers left, but for the kept digests. Resolves with the number of bytes. */
  removeUnfinished(isKept: (digest: string) => boolean): Promise<number>;
}

const mismatch = (digest: string, rule: string) =>
  new NodeAgentError(imageStoreErrorCodes.contentMismatch, `the content of ${digest} ${rule}`, { details: { digest } });

function partsOf(digest: string): { algorithm: string; hex: string } {
  const parts = splitDigest(digest);
  if (parts === undefined) throw mismatch(digest, 'has no valid digest');
  return parts;
}

/** Creates the {@link BlobReader} of a folder. Does no I/O. `onDamaged` is called with the path of a blob that is damaged. */
export function createBlobReader(root: string, onDamaged: (path: string) => Promise<void> = async () => {}): BlobReader {
  const folder = join(root, 'blobs');
  const path = (digest: string) => {
    const { algorithm, hex } = partsOf(digest);
    return join(folder, algorithm, hex);
  };
  const list = async () => {
    const algorithms = await namesIn(folder);
    const digests = await Promise.all(
      algorithms.map(async (algorithm) => (await namesIn(join(folder, algorithm))).map((hex) => `${algorithm}:${hex}`)),
    );
    return digests.flat().filter((digest) => splitDigest(digest) !== undefined);
  };
  return {
    path,
    list,
    async has({ digest, size }) {
      const found = await stat(path(digest)).catch(ignoreMissing);
      return found?.isFile() === true && found.size === size;
    },
    async read({ digest, size }) {
      const found = await stat(path(digest));
      if (!found.isFile() || found.size > maxManifestBytes) throw mismatch(digest, `is no file of at most ${maxManifestBytes} bytes`);
      const bytes = await readFile(path(digest));
      const { algorithm, hex } = partsOf(digest);
      const isDamaged = createHash(algorithm).update(bytes).digest('hex') !== hex;
      if (isDamaged) await onDamaged(path(digest));
      if (isDamaged || bytes.length !== size) throw mismatch(digest, isDamaged ? 'is damaged in the store' : `has not ${size} bytes`);
      return bytes.toString();
    },
    async usage() {
      const sizes = await Promise.all((await list()).map(async (digest) => (await stat(path(digest)).catch(() => ({ size: 0 }))).size));
      return { usedBytes: sizes.reduce((sum, size) => sum + size, 0), usedInodes: sizes.length };
    },
  };
}

/** Creates the {@link BlobStore} of a folder. Does no I/O. */
export function createBlobStore(root: string): BlobStore {
  const reader = createBlobReader(root, unlinkIfExists);
  const { path } = reader;
  const ingestFolder = join(root, 'ingest');
  let streams = 0;
  /** For this user only: images can have secrets. */
  const createFolders = async (algorithm: string) => {
    for (const folder of [ingestFolder, join(root, 'blobs', algorithm)]) await mkdir(folder, { recursive: true, mode: 0o700 });
  };
  const unfinishedName = (digest: string) => digest.replace(':', '-');

  const store: BlobStore = {
    ...reader,
    async writer(content) {
      const { algorithm } = partsOf(content.digest);
      await createFolders(algorithm);
      return openWriter(content, join(ingestFolder, unfinishedName(content.digest)), path(content.digest));
    },
    async add(content, bytes) {
      if (await store.has(content)) return;
      const writer = await store.writer(content);
      try {
        await writer.restart();
        await writer.write(bytes);
        await writer.commit();
      } finally {
        await writer.close();
      }
    },
    async addStream(chunks, algorithm = 'sha256', check = () => {}) {
      await createFolders(algorithm);
      const unfinished = join(ingestFolder, `stream-${streams++}`);
      const file = await open(unfinished, 'w', 0o644);
      try {
        const hash = createHash(algorithm);
        const output = createBufferedOutput(file, unfinished);
        let size = 0;
        let head = Buffer.alloc(0);
        for await (const chunk of chunks) {
          if (head.length < 4) head = Buffer.concat([head, chunk.subarray(0, 4)]);
          hash.update(chunk);
          size += chunk.length;
          await output.write(chunk);
        }
        const digest = `${algorithm}:${hash.digest('hex')}`;
        check(digest);
        await output.sync();
        await rename(unfinished, path(digest));
        return { digest, size, compression: compressionOf(head) };
      } catch (error) {
        await unlinkIfExists(unfinished);
        throw error;
      } finally {
        await file.close();
      }
    },
    remove: (digest) => unlinkIfExists(path(digest)),
    async removeUnfinished(isKept) {
      let freed = 0;
      for (const name of await namesIn(ingestFolder)) {
        if (isKept(name.replace('-', ':'))) continue;
        freed += (await stat(join(ingestFolder, name))).size;
        await unlinkIfExists(join(ingestFolder, name));
      }
      return freed;
    },
  };
  return store;
}

const namesIn = async (folder: string) => (await readdir(folder).catch(ignoreMissing)) ?? [];

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

async function openWriter({ digest, size }: Content, unfinished: string, finished: string): Promise<BlobWriter> {
  const { algorithm, hex } = partsOf(digest);
  const file = await open(unfinished, 'a+', 0o644);
  let hash = createHash(algorithm);
  let offset = await hashFile(file, hash);
  let isCommitted = false;
  const output = createBufferedOutput(file, unfinished);
  const restart = async () => {
    output.discard();
    await file.truncate(0);
    hash = createHash(algorithm);
    offset = 0;
  };
  if (offset > size) await restart();
  return {
    get offset() {
      return offset;
    },
    restart,
    async write(chunk) {
      if (offset + chunk.length > size) {
        await restart();
        throw mismatch(digest, `is longer than its ${size} bytes`);
      }
      hash.update(chunk);
      offset += chunk.length;
      await output.write(chunk);
    },
    async commit() {
      const [written, actual] = [offset, hash.digest('hex')];
      if (written !== size || actual !== hex) {
        await restart();
        throw mismatch(digest, written === size ? `has the digest ${algorithm}:${actual}` : `has ${written} bytes instead of ${size}`);
      }
      await output.sync();
      await rename(unfinished, finished);
      isCommitted = true;
    },
    async discard() {
      output.discard();
      if (!isCommitted) await unlinkIfExists(unfinished);
    },
    async close() {
      try {
        await output.flush();
      } finally {
        await file.close();
      }
    },
  };
}

/** The number of bytes of a file, all of which the hash gets. */
async function hashFile(file: FileHandle, hash: Hash): Promise<number> {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  for (let offset = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    if (bytesRead === 0) return offset;
    hash.update(buffer.subarray(0, bytesRead));
    offset += bytesRead;
  }
}
