import { createHash, type Hash } from 'node:crypto';
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeAgentError, withController } from '@nodeagent/api';
import { removeTree } from '@nodeagent/api/files';
import { imageStoreErrorCodes } from '../errors.js';
import { decompressedFile } from './decompress.js';
import { startTar, type TarProgram } from './gnu-tar.js';
import { type LayerLimits, type LayerUsage, rewriteLayer } from './rewrite-layer.js';
import { endBlocks, type FolderAttributes, folderBlocks } from './tar-blocks.js';

/** A layer to unpack. */
export interface PackedLayer {
  /** Its file, compressed by gzip, zstd or not at all. */
  blobPath: string;
  /** The digest of the uncompressed archive. */
  diffId: string;
  /** The folders of the layers below, top first. */
  below: readonly string[];
}

/**
 * Unpacks a layer into an empty folder, for overlayfs. Rejects with `UnsafeLayer`, with `ContentMismatch` if the archive has another digest, and with what tar(1)
 * reports; the folder is then of no use. Needs root and GNU tar.
 */
export async function unpackLayer(layer: PackedLayer, folder: string, limits: LayerLimits, signal: AbortSignal): Promise<LayerUsage> {
  const usage: LayerUsage = { usedBytes: 0, usedInodes: 1 };
  const hash = createHash(layer.diffId.split(':')[0] ?? '');
  await withController(signal, async (own) => {
    const archive = hashed(decompressedFile(layer.blobPath, own.signal), hash);
    const steps = rewriteLayer(archive, folderFinder(layer.below), limits, usage);
    // The end of an archive need not be reached: the file is closed in any case.
    await new Unpacking(folder, own.signal).run(steps).finally(() => archive.return(undefined));
  });
  const actual = `${layer.diffId.split(':')[0]}:${hash.digest('hex')}`;
  if (actual === layer.diffId) return usage;
  throw new NodeAgentError(imageStoreErrorCodes.contentMismatch, `the layer ${layer.diffId} unpacks to ${actual}`, {
    details: { digest: layer.diffId },
  });
}

async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

class Unpacking {
  readonly #folder: string;
  readonly #signal: AbortSignal;
  #tar: TarProgram;

  constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#signal = signal;
    this.#tar = startTar(folder);
    signal.addEventListener('abort', () => this.#tar.kill(), { once: true });
  }

  async run(steps: ReturnType<typeof rewriteLayer>): Promise<void> {
    const opaque = new Set<string>();
    try {
      for await (const step of steps) {
        this.#signal.throwIfAborted();
        if (step.kind === 'archive') await this.#tar.write(step.bytes);
        else if (step.kind === 'opaque') opaque.add(step.path);
        else await this.#remove(step.path);
      }
      if (opaque.size > 0) await this.#restart();
      for (const path of opaque) await this.#mark(path);
      await this.#tar.end();
    } catch (error) {
      this.#tar.kill();
      this.#signal.throwIfAborted();
      throw error;
    }
  }

  async #restart(): Promise<void> {
    await this.#tar.end();
    this.#signal.throwIfAborted();
    this.#tar = startTar(this.#folder);
  }

  /** The folder of an earlier entry, which one of another type replaces: tar(1) itself removes only empty ones. */
  async #remove(path: string): Promise<void> {
    await this.#tar.write(endBlocks);
    await this.#restart();
    await removeTree(join(this.#folder, path));
  }

  async #mark(path: string): Promise<void> {
    const attributes = await attributesOf(join(this.#folder, path));
    const mark = { key: 'SCHILY.xattr.trusted.overlay.opaque', value: Buffer.from('y') };
    if (attributes === undefined) return;
    for (const block of folderBlocks(path || '.', attributes, [mark])) await this.#tar.write(block);
  }
}

/**
 * Finds the attributes of folders in the highest of the layers that has one there, if no other file hides it. Where a layer has no folder, it is not searched for
 * those in that.
 */
function folderFinder(layers: readonly string[]): (path: string) => Promise<FolderAttributes | undefined> {
  const missing = new Set<string>();
  return async (path) => {
    for (const layer of layers) {
      const found = missing.has(join(layer, path, '..')) ? undefined : await resolveIn(layer, path);
      if (found !== undefined) return attributesOf(found);
      missing.add(join(layer, path));
    }
    return undefined;
  };
}

async function attributesOf(path: string): Promise<FolderAttributes | undefined> {
  const facts = await lstat(path, { bigint: true });
  if (!facts.isDirectory()) return undefined;
  return { mode: Number(facts.mode & 0o7777n), uid: Number(facts.uid), gid: Number(facts.gid), mtimeNs: facts.mtimeNs };
}

const maxLinks = 255;

/** Where a path is in a layer's folder, whose links stay within it; undefined if it is missing. Only the store writes there. */
async function resolveIn(root: string, path: string): Promise<string | undefined> {
  const rest = path.split('/').reverse();
  let names: string[] = [];
  for (let links = 0, name = rest.pop(); name !== undefined; name = rest.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      names.pop();
      continue;
    }
    const at = join(root, ...names, name);
    const facts = await lstat(at).catch(() => undefined);
    if (facts === undefined) return undefined;
    if (!facts.isSymbolicLink()) names.push(name);
    else if (++links > maxLinks) return undefined;
    else {
      const target = await readlink(at);
      if (target.startsWith('/')) names = [];
      rest.push(...target.split('/').reverse());
    }
  }
  return join(root, ...names);
}
