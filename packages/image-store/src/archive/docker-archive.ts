import { NodeAgentError } from '@nodeagent/api';
import { isObject, join, quoteText } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';
import type { ContentDescriptor } from '../image/descriptor.js';
import { imageMediaTypes, type LayerCompression } from '../image/manifest.js';

/** A file of an archive. */
export interface ArchivedFile {
  digest: string;
  size: number;
  /** By its first bytes. */
  compression: LayerCompression;
}

/** An image of an archive of `docker save`. */
export interface ArchivedImage {
  names: readonly string[];
  config: ContentDescriptor;
  layers: readonly ContentDescriptor[];
}

const layerTypes: Readonly<Record<LayerCompression, string>> = {
  none: 'application/vnd.docker.image.rootfs.diff.tar',
  gzip: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
  zstd: 'application/vnd.docker.image.rootfs.diff.tar.zstd',
};

/** An error about an archive. */
export const invalidArchive = (rule: string, cause?: unknown) =>
  new NodeAgentError(imageStoreErrorCodes.invalidArchive, `invalid image archive: ${rule}`, { cause });

/**
 * The images that `manifest.json` of a `docker save` archive lists. Throws `InvalidImageArchive`.
 * @param text - of `manifest.json`
 * @param fileAt - the file of a path, also through a symbolic link
 */
export function dockerArchiveImages(text: string, fileAt: (path: string) => ArchivedFile | undefined): ArchivedImage[] {
  const file = (path: unknown): ArchivedFile => {
    if (typeof path !== 'string') throw invalidArchive('manifest.json names a file by what is not a text');
    const found = fileAt(path);
    if (found === undefined) throw invalidArchive(`manifest.json names ${quoteText(path.slice(0, 200))}, which the archive does not have`);
    return found;
  };
  const value = parseList(text);
  return value.map((entry) => {
    if (!isObject(entry) || !Array.isArray(entry.Layers))
      throw invalidArchive('manifest.json must be a list of images with Config and Layers');
    const { digest, size } = file(entry.Config);
    const layers = entry.Layers.map(file).map((layer) => ({
      mediaType: layerTypes[layer.compression],
      digest: layer.digest,
      size: layer.size,
    }));
    const names = Array.isArray(entry.RepoTags) ? entry.RepoTags.filter((name): name is string => typeof name === 'string') : [];
    return { names, config: { mediaType: imageMediaTypes.dockerConfig, digest, size }, layers };
  });
}

function parseList(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch (cause) {
    throw invalidArchive('manifest.json is not JSON', cause);
  }
  throw invalidArchive('manifest.json must be a list');
}

/** The manifest of an image of a `docker save` archive, which has none. */
export const dockerManifestText = ({ config, layers }: ArchivedImage) =>
  JSON.stringify({ schemaVersion: 2, mediaType: imageMediaTypes.dockerManifest, config, layers });

/** The file that a symbolic link of an archive names; undefined for one that leads out of the archive. */
export function linkTarget(path: string, link: string): string | undefined {
  const target = join(path, '..', link);
  return link.startsWith('/') || target.startsWith('..') ? undefined : target;
}
