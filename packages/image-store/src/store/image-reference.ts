import { isObject, parseImageName } from '@nodeagent/api/helpers';
import { type ContentDescriptor, parseDescriptor } from '../image/descriptor.js';
import { imageMediaTypes, isManifestType, parseJsonContent } from '../image/manifest.js';

/** A name of an image, and the manifest or index that it refers to. */
export interface ImageReference {
  /** `docker.io/library/nginx:1` or `docker.io/library/nginx@sha256:...`; undefined if the name is lost. */
  name?: string;
  target: ContentDescriptor;
  isPinned: boolean;
}

const nameAnnotation = 'io.containerd.image.name';
const tagAnnotation = 'org.opencontainers.image.ref.name';
const pinnedAnnotation = 'io.nodeagent.image.pinned';

/** The text of `index.json`, with an entry for each name: OCI image layout specification. */
export function encodeReferences(references: readonly ImageReference[]): string {
  const manifests = references.map(({ name, target: { mediaType, digest, size }, isPinned }) => ({
    mediaType,
    digest,
    size,
    annotations: {
      ...(name !== undefined && { [nameAnnotation]: name }),
      ...(name !== undefined && parseImageName(name).tag !== '' && { [tagAnnotation]: parseImageName(name).tag }),
      ...(isPinned && { [pinnedAnnotation]: 'true' }),
    },
  }));
  return JSON.stringify({ schemaVersion: 2, mediaType: imageMediaTypes.ociIndex, manifests });
}

/**
 * The references of an `index.json`, also of one that another program wrote: a name in `org.opencontainers.image.ref.name` counts if it has a
 * registry. Throws `InvalidManifest`.
 */
export function decodeReferences(text: string): ImageReference[] {
  const { manifests } = parseJsonContent(text);
  return (Array.isArray(manifests) ? manifests : []).flatMap((entry, index) => {
    if (!isObject(entry) || typeof entry.mediaType !== 'string' || !isManifestType(entry.mediaType)) return [];
    const { annotations = {}, ...target } = parseDescriptor(entry, `manifests[${index}]`);
    const tag = annotations[tagAnnotation];
    const name = nameFor(target, annotations[nameAnnotation] ?? (tag?.includes('/') ? tag : undefined));
    return [{ ...(name !== undefined && { name }), target, isPinned: annotations[pinnedAnnotation] === 'true' }];
  });
}

/** The full name; undefined if the text is no image reference. Of a name with tag and digest, the tag is left out, as containerd does. */
export function normalName(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const { repository, tag, digest } = parseImageName(text);
    return digest === '' ? `${repository}:${tag}` : `${repository}@${digest}`;
  } catch {
    return undefined;
  }
}

/** The full name of a manifest or index; undefined also for a name with the digest of another one. */
export function nameFor({ digest }: ContentDescriptor, text: string | undefined): string | undefined {
  const name = normalName(text);
  return name?.includes('@') && !name.endsWith(`@${digest}`) ? undefined : name;
}

/** The references with this one in the place of the one of its name, or of one that has lost its name. */
export function withReference(references: readonly ImageReference[], added: ImageReference): ImageReference[] {
  const isReplaced = ({ name, target }: ImageReference) =>
    name === undefined ? target.digest === added.target.digest : name === added.name;
  const isPinned =
    added.isPinned ||
    references.some((reference) => isReplaced(reference) && reference.isPinned && reference.target.digest === added.target.digest);
  return [...references.filter((reference) => !isReplaced(reference)), { ...added, isPinned }];
}
