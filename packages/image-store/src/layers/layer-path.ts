import { NodeAgentError } from '@nodeagent/api';
import { quoteText, utf8Length } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';

/** What an entry of a layer's archive does; paths are relative to the layer, without `.` and `..`; '' is the layer's root folder. */
export type LayerEntry =
  | { kind: 'file'; path: string }
  /** Hides `path` of the layers below. */
  | { kind: 'whiteout'; path: string }
  /** Hides the content that the folder `path` has in the layers below. */
  | { kind: 'opaque'; path: string }
  /** Metadata of AUFS, which is not part of the image. */
  | { kind: 'ignored' };

export const defaultMaxDepth = 128;
export const whiteoutPrefix = '.wh.';
const opaqueName = '.wh..wh..opq';
const aufsPrefix = '.wh..wh.';
/** The longest name of a file, and the longest path, in bytes of UTF-8. Linux has these limits. */
const [maxNameLength, maxPathLength] = [255, 4096];

/** An error about an entry of a layer, or, without a path, about the whole layer. */
export function unsafeLayer(path: string, rule: string): NodeAgentError {
  const shown = quoteText(path.length > 200 ? `${path.slice(0, 200)}...` : path);
  return new NodeAgentError(imageStoreErrorCodes.unsafeLayer, `the layer${path === '' ? '' : `'s entry ${shown}`} ${rule}`, {
    details: { path: path.slice(0, 200) },
  });
}

/**
 * The elements of a name in an archive, relative to the layer's root also if the name is absolute. Throws `UnsafeLayer` for a name with `..`, which
 * no image needs and which extractors interpret differently, and for one that is too long.
 * @param maxDepth - the largest number of elements
 */
export function layerPath(name: string, maxDepth = defaultMaxDepth): string {
  const elements = name.split('/').filter((element) => element !== '' && element !== '.');
  if (name.includes('\0')) throw unsafeLayer(name, 'has a NUL in its name');
  if (elements.includes('..')) throw unsafeLayer(name, 'has .. in its name');
  if (utf8Length(name) > maxPathLength || elements.some((element) => utf8Length(element) > maxNameLength))
    throw unsafeLayer(name, 'has a name that is too long');
  if (elements.length > maxDepth) throw unsafeLayer(name, `is more than ${maxDepth} folders deep`);
  return elements.join('/');
}

/** What an entry of that name does: OCI image specification, "Image Layer Filesystem Changeset". Throws `UnsafeLayer`. */
export function layerEntry(name: string, maxDepth?: number): LayerEntry {
  const path = layerPath(name, maxDepth);
  const elements = path.split('/');
  const last = elements.pop() ?? '';
  const folder = elements.join('/');
  if (elements.some((element) => element.startsWith(whiteoutPrefix))) {
    // AUFS keeps hard links in a folder of such a name.
    if (elements.some((element) => element.startsWith(aufsPrefix))) return { kind: 'ignored' };
    throw unsafeLayer(name, 'is in the folder of a whiteout');
  }
  if (last === opaqueName) return { kind: 'opaque', path: folder };
  if (last.startsWith(aufsPrefix)) return { kind: 'ignored' };
  if (!last.startsWith(whiteoutPrefix)) return { kind: 'file', path };
  const hidden = last.slice(whiteoutPrefix.length);
  if (hidden === '' || hidden === '.' || hidden === '..') throw unsafeLayer(name, 'is a whiteout of no file');
  return { kind: 'whiteout', path: folder === '' ? hidden : `${folder}/${hidden}` };
}
