import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '@nodeagent/api';
import { replaceFile } from '@nodeagent/api/files';
import { isObject } from '@nodeagent/api/helpers';
import { requireRoot } from '../mounts/require-root.js';
import { defaultLayerLimits, type LayerLimits, type LayerUsage } from './rewrite-layer.js';
import { type PackedLayer, unpackLayer } from './unpack-layer.js';

/** The unpacked layers of a store, by chain ID (OCI image specification, "Layer ChainID"). */
export interface LayerStore {
  /** The folder of a layer, as a lower folder of overlayfs. */
  path(chainId: string): string;
  /** Whether the layer is there, complete. */
  has(chainId: string): Promise<boolean>;
  /** Unpacks a layer unless it is there; calls for one chain ID share the work. Rejects as `unpackLayer`. */
  unpack(chainId: string, layer: PackedLayer, signal: AbortSignal): Promise<void>;
  /** The chain IDs of all layers with what they take. */
  list(): Promise<(LayerUsage & { chainId: string })[]>;
  remove(chainId: string): Promise<void>;
  /** Removes what killed processes left. */
  removeUnfinished(): Promise<void>;
}

/** The chain ID of each layer, lowest first. */
export function chainIdsOf(diffIds: readonly string[]): string[] {
  const chain: string[] = [];
  for (const diffId of diffIds) {
    const below = chain.at(-1);
    chain.push(below === undefined ? diffId : `sha256:${createHash('sha256').update(`${below} ${diffId}`).digest('hex')}`);
  }
  return chain;
}

const folderName = (chainId: string) => chainId.replace(':', '-');
/** The folder of the layers in that of a store. */
export const layersFolder = 'layers';
const execute = promisify(execFile);
const factsFile = 'layer.json';
const [unfinished, removed] = ['.unpack-', '.remove-'];

/** Creates the {@link LayerStore} of a folder. Does no I/O. */
export function createLayerStore(root: string, limits: LayerLimits = defaultLayerLimits): LayerStore {
  const running = new Map<string, Promise<void>>();
  const folderOf = (chainId: string) => join(root, folderName(chainId));

  async function facts(name: string): Promise<(LayerUsage & { chainId: string }) | undefined> {
    const text = await readFile(join(root, name, factsFile), 'utf8').catch(ignoreMissing);
    const value = text === undefined ? undefined : parsed(text);
    if (value === undefined || folderName(value.chainId) !== name) return undefined;
    return value;
  }

  async function unpack(chainId: string, layer: PackedLayer, signal: AbortSignal): Promise<void> {
    const folder = join(root, `${unfinished}${folderName(chainId)}`);
    await removeFolder(folder);
    await mkdir(join(folder, 'diff'), { recursive: true, mode: 0o700 });
    try {
      const usage = await unpackLayer(layer, join(folder, 'diff'), limits, signal);
      await replaceFile(join(folder, factsFile), JSON.stringify({ chainId, ...usage }));
      await rename(folder, folderOf(chainId));
    } catch (error) {
      await removeFolder(folder);
      throw error;
    }
  }

  const store: LayerStore = {
    path: (chainId) => join(folderOf(chainId), 'diff'),
    has: async (chainId) => (await facts(folderName(chainId))) !== undefined,
    async unpack(chainId, layer, signal) {
      for (let other = running.get(chainId); other !== undefined; other = running.get(chainId)) await other.catch(() => undefined);
      signal.throwIfAborted();
      const work = (async () => {
        if (await store.has(chainId)) return;
        requireRoot(process.geteuid?.() === 0, `unpack the layer ${chainId}`);
        await store.remove(chainId);
        await unpack(chainId, layer, signal);
      })();
      running.set(chainId, work);
      await work.finally(() => running.delete(chainId));
    },
    async list() {
      const names = (await readdir(root).catch(ignoreMissing)) ?? [];
      const found = await Promise.all(names.filter((name) => !name.startsWith('.')).map(facts));
      return found.filter((layer) => layer !== undefined);
    },
    async remove(chainId) {
      const aside = join(root, `${removed}${folderName(chainId)}`);
      await removeFolder(aside);
      await rename(folderOf(chainId), aside).catch(ignoreMissing);
      await removeFolder(aside);
    },
    async removeUnfinished() {
      for (const name of (await readdir(root).catch(ignoreMissing)) ?? []) {
        const isRunning = [...running.keys()].some((chainId) => name.endsWith(folderName(chainId)));
        const isWhole = !name.startsWith('.') && (await facts(name)) !== undefined;
        if (!isRunning && !isWhole) await removeFolder(join(root, name));
      }
    },
  };
  return store;
}

/**
 * By rm(1), which takes less time than Node. Only the store writes there, so no other process swaps a folder for a link meanwhile. The tar(1) of a store that was killed
 * ends shortly after it, and makes files until then: about a second of retries.
 */
async function removeFolder(path: string): Promise<void> {
  if ((await lstat(path).catch(ignoreMissing)) === undefined) return;
  await execute('rm', ['--recursive', '--force', '--', path]).catch(() =>
    rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }),
  );
}

function parsed(text: string): (LayerUsage & { chainId: string }) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { chainId, usedBytes, usedInodes } = value;
    if (typeof chainId !== 'string' || typeof usedBytes !== 'number' || typeof usedInodes !== 'number') return undefined;
    return { chainId, usedBytes, usedInodes };
  } catch {
    return undefined;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}
