import type { EnsuredImage } from '@nodeagent/api';
import type { ImageService } from '@nodeagent/cri-api';
import type { ImageUser } from './run-as-non-root.js';

/** The user that an image sets; root if it sets none, undefined without an image service. */
export async function readImageUser(imageService: Pick<ImageService, 'imageStatus'> | undefined, image: string): Promise<ImageUser> {
  if (imageService === undefined) return undefined;
  const { image: status } = await imageService.imageStatus({ image: { image } });
  return knownImageUser({ ...(status?.uid && { uid: status.uid.value }), username: status?.username });
}

/** The user of an image whose status is known; root if it sets none. */
export function knownImageUser({ uid, username }: NonNullable<EnsuredImage['user']>): NonNullable<ImageUser> {
  if (uid !== undefined) return { uid };
  return username ? { username } : { uid: 0n };
}
