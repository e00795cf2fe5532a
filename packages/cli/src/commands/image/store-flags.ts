import { resolve } from 'node:path';
import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { nearestName } from '@nodeagent/api/helpers';
import type { ImageStoreReader, OciImageStore, RegistryConfigPaths, StoredImage } from '@nodeagent/image-store';
import type { Console } from '../../console.js';
import { badUsage, type Flag, type FlagValues, text } from '../../flags.js';
import { defaultRootDir, imagesRoot } from '../root-dir-flag.js';

/** `--root`, the directory of the store. */
export const rootFlag = (console: Pick<Console, 'env' | 'isRoot'>): Flag => ({
  name: 'root',
  value: 'DIR',
  default: imagesRoot(defaultRootDir(console)),
  help: 'directory of the images, an OCI image layout.',
});

/** Opens the store to change it. Rejects with `ImageStoreLocked` if another process has it. */
export async function openStore(values: FlagValues, registries: RegistryConfigPaths = {}): Promise<OciImageStore> {
  // Loaded lazily: a bundle would load it for every command.
  const { openImageStore } = await import('@nodeagent/image-store');
  try {
    return await openImageStore({ root: resolve(text(values, 'root')), registries });
  } catch (error) {
    if (errorCode(error) !== 'ImageStoreLocked') throw error;
    throw new NodeAgentError('ImageStoreLocked', errorMessage(error), {
      cause: error,
      hint: 'stop it, or set --root to another directory; "nodeagent image list", "inspect" and "export" work meanwhile',
    });
  }
}

/** Runs with the store open, and closes it. */
export async function withStore<T>(values: FlagValues, work: (store: OciImageStore) => Promise<T>): Promise<T> {
  const store = await openStore(values);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Reads the store, also while another process has it. */
export async function readStore(values: FlagValues): Promise<ImageStoreReader> {
  const { readImageStore } = await import('@nodeagent/image-store');
  return readImageStore({ root: resolve(text(values, 'root')) });
}

/** The words, of which the action needs at least one. */
export function requireImages(action: string, words: readonly string[]): readonly string[] {
  if (words.length === 0) throw badUsage(`image ${action}: IMAGE is required; "nodeagent image list" lists the images`);
  return words;
}

/** Number of hexadecimal digits of an id in a table. */
export const shortIdLength = 12;
const minIdLength = 4;

/**
 * The image of this name, id, digest, or unique beginning of an id. Throws `UnknownImage` with the nearest name, and `AmbiguousImageId`.
 */
export function namedImage(store: Pick<ImageStoreReader, 'get' | 'list'>, wanted: string): StoredImage {
  const found = store.get(wanted);
  if (found !== undefined) return found;
  const images = store.list();
  const start = wanted.replace(/^sha256:/, '');
  const isId = start.length >= minIdLength && /^[a-f0-9]+$/.test(start);
  const ofId = isId ? images.filter(({ id }) => id.startsWith(`sha256:${start}`)) : [];
  if (ofId.length > 1) throw new NodeAgentError('AmbiguousImageId', `${ofId.length} images have an id that begins with ${start}`);
  if (ofId[0] !== undefined) return ofId[0];
  const near = nearestName(wanted, images.flatMap(({ repoTags }) => repoTags).flatMap(spellings));
  const hint =
    images.length === 0 ? 'the store is empty: "nodeagent image pull IMAGE" pulls one' : '"nodeagent image list" lists the images';
  throw new NodeAgentError('UnknownImage', `no image ${wanted}${near === undefined ? '' : `; did you mean ${near}?`}`, { hint });
}

/** The spellings of a name that users type: with and without the default registry and tag. */
function spellings(name: string): string[] {
  const familiar = name.replace(/^docker\.io\/(library\/)?/, '');
  return [name, familiar].flatMap((each) => [each, each.replace(/:[^/:]*$/, '')]);
}
