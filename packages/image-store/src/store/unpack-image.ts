import type { ContentDescriptor } from '../image/descriptor.js';
import { chainIdsOf, type LayerStore } from '../layers/layer-store.js';

/** What unpacking an image needs. */
export interface UnpackJob {
  /** Compressed, lowest first. */
  packed: readonly ContentDescriptor[];
  /** The digests of the uncompressed layers, as many. */
  diffIds: readonly string[];
  layers: LayerStore;
  /** Called with the chain ID of each layer first, so that no garbage collection removes it meanwhile. */
  keep(chainId: string): void;
  /** Resolves to the path of a layer's blob once that is complete. */
  blob(digest: string): Promise<string>;
  signal: AbortSignal;
}

/** Unpacks the layers of an image, one after the other. Resolves to their folders, top first. */
export async function unpackImage({ packed, diffIds, layers, keep, blob, signal }: UnpackJob): Promise<string[]> {
  const chainIds = chainIdsOf(diffIds);
  for (const chainId of chainIds) keep(chainId);
  const folders: string[] = [];
  for (const [index, chainId] of chainIds.entries()) {
    if (!(await layers.has(chainId))) {
      const blobPath = await blob(packed[index]?.digest ?? '');
      await layers.unpack(chainId, { blobPath, diffId: diffIds[index] ?? '', below: folders }, signal);
    }
    folders.unshift(layers.path(chainId));
  }
  return folders;
}
