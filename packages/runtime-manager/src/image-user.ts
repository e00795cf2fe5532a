import type { ImageService } from '@nodeagent/cri-api';
import type { ImageUser } from './run-as-non-root.js';

/** The user that an image sets; root if it sets none, undefined without an image service. */
export async function readImageUser(imageService: Pick<ImageService, 'imageStatus'> | undefined, image: string): Promise<ImageUser> {
  if (imageService === undefined) return undefined;
  const { image: status } = await imageService.imageStatus({ image: { image } });
  if (status?.uid) return { uid: status.uid.value };
  return status?.username ? { username: status.username } : { uid: 0n };
}
