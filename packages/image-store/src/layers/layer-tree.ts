import { isPathWithinBase, utf8Length } from '@nodeagent/api/helpers';
import { defaultMaxDepth, layerEntry, layerPath, unsafeLayer, whiteoutPrefix } from './layer-path.js';

/** An entry of a layer, as far as it decides where it is unpacked. */
export interface LayerItem {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'hardLink';
  /** The target of a link or hard link. */
  linkName?: string;
}

/** What an entry becomes in the folder of its layer. Paths are relative to that; none leads through a link. */
export type LayerPlacement =
  | { kind: 'ignored' }
  | {
      kind: 'entry' | 'whiteout' | 'opaque';
      path: string;
      /** Folders on the way that the layer does not have yet, the highest first. */
      missingFolders: readonly string[];
      /** The file that a hard link is another name of. */
      linkPath?: string;
      /** Whether a folder with content is at the path, which the entry replaces. */
      replacesFolder?: boolean;
    };

/** The names that a layer has made so far. */
export interface LayerTree {
  /** Places the next entry of the archive. Throws `UnsafeLayer`. */
  place(item: LayerItem): LayerPlacement;
  /** The folders that hide what the layers below have in them: those of `opaque` placements that nothing has replaced since. */
  opaqueFolders(): string[];
}

interface Link {
  target: string;
}
type Folder = Map<string, Entry>;
type Entry = Folder | Link | 'file' | 'whiteout';

/** The number of links on the way to a file; Linux allows 40, containerd 255. */
const maxLinks = 255;
/** Bytes of the target of a link: Linux has this limit. */
const maxTargetLength = 4095;

/**
 * Creates the {@link LayerTree} of a layer that is unpacked into an empty folder, as for overlayfs. The folder of each name is found through links of the layer itself,
 * whose absolute targets and `..` stay within the layer, as containerd finds it; links of the layers below do not count.
 * @param maxDepth - the largest number of folders in a path. Default 128
 */
export function createLayerTree(maxDepth = defaultMaxDepth): LayerTree {
  const root: Folder = new Map();
  const opaque = new Set<Folder>();

  /** The folder that a path leads to. Creates missing ones if they are to be collected. */
  function follow(path: string, shown: string, missing?: string[]): { folder: Folder; path: string } {
    const folders = [root];
    const names: string[] = [];
    const rest = path.split('/').reverse();
    for (let links = 0, name = rest.pop(); name !== undefined; name = rest.pop()) {
      if (name === '' || name === '.') continue;
      if (name === '..') {
        if (names.length > 0) folders.pop();
        names.pop();
        continue;
      }
      const folder = folders.at(-1) ?? root;
      const found = folder.get(name);
      if (found === undefined && missing !== undefined) {
        if (name.startsWith(whiteoutPrefix)) throw unsafeLayer(shown, 'leads to a folder with the name of a whiteout');
        const created: Folder = new Map();
        folder.set(copyOf(name), created);
        folders.push(created);
        names.push(name);
        missing.push(layerPath(names.join('/'), maxDepth));
      } else if (found instanceof Map) {
        folders.push(found);
        names.push(name);
      } else if (isLink(found)) {
        if (++links > maxLinks) throw unsafeLayer(shown, `leads through more than ${maxLinks} links`);
        if (found.target.startsWith('/')) {
          folders.length = 1;
          names.length = 0;
        }
        rest.push(...found.target.split('/').reverse());
      } else throw unsafeLayer(shown, `leads through ${JSON.stringify([...names, name].join('/'))}, which is no folder`);
    }
    return { folder: folders.at(-1) ?? root, path: names.join('/') };
  }

  /** Where a path is, once the links to its folder are followed. */
  function locate(path: string, shown: string, missing?: string[]) {
    const slash = path.lastIndexOf('/');
    const base = path.slice(slash + 1);
    const parent = follow(path.slice(0, Math.max(slash, 0)), shown, missing);
    return { folder: parent.folder, base, path: parent.path === '' ? base : `${parent.path}/${base}` };
  }

  function placeLink(linkName: string, shown: string): { entry: Entry; linkPath: string } {
    const { folder, base, path: linkPath } = locate(layerPath(linkName, maxDepth), shown);
    const entry = folder.get(base);
    if (entry === undefined || entry === 'whiteout' || entry instanceof Map)
      throw unsafeLayer(shown, `is a hard link to ${JSON.stringify(linkName.slice(0, 200))}, which is no file of the layer`);
    return { entry, linkPath };
  }

  return {
    place({ name, kind, linkName = '' }) {
      const entry = layerEntry(name, maxDepth);
      if (entry.kind === 'ignored') return entry;
      const missingFolders: string[] = [];
      if (entry.kind === 'opaque') {
        const found = follow(entry.path, name, missingFolders);
        opaque.add(found.folder);
        return { kind: 'opaque', path: found.path, missingFolders };
      }
      if (entry.path === '') {
        if (kind !== 'folder') throw unsafeLayer(name, "is the layer's root folder");
        return { kind: 'entry', path: '', missingFolders };
      }
      if (kind === 'link') checkTarget(name, linkName);
      const { folder, base, path } = locate(entry.path, name, missingFolders);
      const before = folder.get(base);
      if (entry.kind === 'whiteout') {
        if (before !== undefined) return { kind: 'ignored' };
        folder.set(copyOf(base), 'whiteout');
        return { kind: 'whiteout', path, missingFolders };
      }
      const link = kind === 'hardLink' ? placeLink(linkName, name) : undefined;
      if (link && isPathWithinBase(link.linkPath, path)) throw unsafeLayer(name, 'is a hard link to itself, or to what it replaces');
      if (kind === 'folder' && before instanceof Map) return { kind: 'entry', path: layerPath(path, maxDepth), missingFolders };
      folder.set(copyOf(base), link?.entry ?? (kind === 'folder' ? new Map() : kind === 'link' ? { target: linkName } : 'file'));
      const replacesFolder = before instanceof Map && before.size > 0;
      return {
        kind: 'entry',
        path: layerPath(path, maxDepth),
        missingFolders,
        ...(link && { linkPath: link.linkPath }),
        ...(replacesFolder && { replacesFolder }),
      };
    },
    opaqueFolders() {
      const found: string[] = [];
      const visit = (folder: Folder, path: string) => {
        if (opaque.has(folder)) found.push(path);
        for (const [name, entry] of folder) if (entry instanceof Map) visit(entry, path === '' ? name : `${path}/${name}`);
      };
      visit(root, '');
      return found;
    },
  };
}

function checkTarget(name: string, target: string): void {
  if (target === '') throw unsafeLayer(name, 'is a link without a target');
  if (target.includes('\0')) throw unsafeLayer(name, 'is a link with a NUL in its target');
  if (utf8Length(target) > maxTargetLength) throw unsafeLayer(name, 'is a link with a target that is too long');
}

/** A part of a text keeps all of the text in memory: of a file's name, its path. */
const copyOf = (text: string) => text.split('').join('');

const isLink = (entry: Entry | undefined): entry is Link => typeof entry === 'object' && !(entry instanceof Map);
