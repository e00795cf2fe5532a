import { unsafeLayer } from './layer-path.js';
import { createLayerTree, type LayerItem, type LayerPlacement } from './layer-tree.js';
import { endBlocks, type FolderAttributes, folderBlocks, sparseBlocks, tarBlocks, whiteoutBlocks } from './tar-blocks.js';
import { readTarEntries, type TarEntry } from './tar-entries.js';

/** What one layer may have. */
export interface LayerLimits {
  /** Bytes of all files once unpacked, holes of sparse files included. Default 64 GiB. */
  maxBytes: number;
  /** Entries, and folders that no entry describes. Default 2,000,000. */
  maxFiles: number;
  /** Folders in a path. Default 128. */
  maxDepth: number;
}

export const defaultLayerLimits: LayerLimits = { maxBytes: 64 * 2 ** 30, maxFiles: 2_000_000, maxDepth: 128 };

/** A step of unpacking a layer, in order. */
export type LayerStep =
  /** Bytes of an archive for tar(1). */
  | { kind: 'archive'; bytes: Buffer }
  /** Removes a folder with its content. */
  | { kind: 'remove'; path: string }
  /** Hides what the folder has in the layers below. After all others: by then, its path leads through no link. */
  | { kind: 'opaque'; path: string };

/** Bytes and files of a layer. */
export interface LayerUsage {
  usedBytes: number;
  usedInodes: number;
}

const kinds: Readonly<Record<string, LayerItem['kind']>> = {
  '0': 'file',
  '1': 'hardLink',
  '2': 'link',
  '3': 'file',
  '4': 'file',
  '5': 'folder',
  '6': 'file',
};
const unknownFolder: FolderAttributes = { mode: 0o755, uid: 0, gid: 0, mtimeNs: 0n };

/**
 * Rewrites the archive of a layer into steps that fill an empty folder as overlayfs needs it, by an archive of which no name leads through a link or out of the
 * folder; whiteouts are character devices 0/0. Throws `UnsafeLayer`.
 * @param folderBelow - the attributes of a folder in the layers below; a folder that no entry describes gets these, or else mode 0755 of root
 * @param usage - counts what the archive unpacks to
 */
export async function* rewriteLayer(
  chunks: AsyncIterable<Uint8Array>,
  folderBelow: (path: string) => Promise<FolderAttributes | undefined>,
  limits: LayerLimits,
  usage: LayerUsage,
): AsyncGenerator<LayerStep> {
  const tree = createLayerTree(limits.maxDepth);
  const count = (name: string, bytes: number) => {
    usage.usedInodes++;
    usage.usedBytes += bytes;
    if (usage.usedInodes > limits.maxFiles) throw unsafeLayer(name, `is one file more than ${limits.maxFiles}`);
    if (usage.usedBytes > limits.maxBytes) throw unsafeLayer(name, `makes the layer larger than ${limits.maxBytes} bytes`);
  };
  // The root folder, unless an entry describes it, is as in the layers below.
  yield* archived(folderBlocks('.', (await folderBelow('')) ?? unknownFolder));
  for await (const entry of readTarEntries(chunks)) {
    const kind = kinds[entry.type];
    if (kind === undefined) throw unsafeLayer(entry.name, `has the unknown type ${JSON.stringify(entry.type)}`);
    const placement = tree.place({ name: entry.name, kind, linkName: entry.linkName });
    if (placement.kind === 'ignored') continue;
    for (const path of placement.missingFolders) {
      count(path, 0);
      yield* archived(folderBlocks(path, (await folderBelow(path)) ?? unknownFolder));
    }
    if (placement.kind === 'opaque') continue;
    count(entry.name, entry.sparse?.fileSize ?? entry.size);
    yield* stepsOf(entry, placement);
  }
  yield { kind: 'archive', bytes: endBlocks };
  for (const path of tree.opaqueFolders()) yield { kind: 'opaque', path };
}

async function* stepsOf(entry: TarEntry, placement: Exclude<LayerPlacement, { kind: 'ignored' }>): AsyncGenerator<LayerStep> {
  const { header, records, type, size, sparse, linkName } = entry;
  const { kind, path, linkPath, replacesFolder } = placement;
  if (kind === 'whiteout') yield* archived(whiteoutBlocks(header, path, records));
  else {
    if (replacesFolder) yield { kind: 'remove', path };
    const changes = { name: path || '.', linkName: type === '2' ? linkName : linkPath, type, size, records };
    yield* archived(sparse ? sparseBlocks(header, changes, sparse) : tarBlocks(header, changes));
    for await (const bytes of entry.content()) yield { kind: 'archive', bytes };
  }
}

const archived = (blocks: readonly Buffer[]) => blocks.map((bytes): LayerStep => ({ kind: 'archive', bytes }));
