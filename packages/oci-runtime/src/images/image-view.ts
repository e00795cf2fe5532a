import type { Image } from '@nodeagent/cri-api';
import type { StoredImage } from '@nodeagent/image-store';
import { isId } from '../spec/user-files.js';

/**
 * The image of the CRI for the images of a store with one ID: they have the same configuration, and differ in the compression of their layers.
 *
 * @param user - `User` of the configuration
 */
export function toImage(stored: readonly [StoredImage, ...StoredImage[]], user: string): Image {
  const [name = ''] = user.split(':');
  return {
    id: stored[0].id,
    repoTags: stored.flatMap(({ repoTags }) => repoTags),
    repoDigests: stored.flatMap(({ repoDigests }) => repoDigests),
    size: BigInt(stored.reduce((sum, { size }) => sum + size, 0)),
    ...(isId(name) ? { uid: { value: BigInt(name) }, username: '' } : { username: name }),
    pinned: stored.some(({ isPinned }) => isPinned),
  };
}

/** The reference of an image in the status of a container: a name with a digest, else the ID. */
export const referenceOf = ({ repoDigests, id }: StoredImage) => repoDigests[0] ?? id;
