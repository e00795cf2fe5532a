import type { Container, Pod } from '@nodeagent/api';
import { podReference } from '@nodeagent/api/helpers';
import type { ImageEnsurer } from '../options.js';
import type { ImageVolumes, SyncSandbox } from './sync-sandbox.js';

/**
 * Makes the images of a pod's image volumes available (KEP-4639), with events about the pod. Never rejects: the containers that mount a
 * volume without its image fail to start.
 */
export async function ensureImageVolumes(
  images: ImageEnsurer,
  pod: Pod,
  { config: sandboxConfig, runtimeHandler }: Pick<SyncSandbox, 'config' | 'runtimeHandler'>,
): Promise<ImageVolumes> {
  const volumes = new Map<string, { imageRef: string } | { error: unknown }>();
  for (const { name, image } of pod.spec?.volumes ?? []) {
    if (!image) continue;
    const { reference = '', pullPolicy } = image;
    const object = podReference(pod);
    const request = { object, pod, image: reference, pullPolicy, sandboxConfig, ...(runtimeHandler && { runtimeHandler }) };
    try {
      volumes.set(name, { imageRef: (await images.ensureImageExists(request)).imageRef });
    } catch (error) {
      volumes.set(name, { error });
    }
  }
  return volumes;
}

/** The image references of the container's image volumes, by volume name. Throws the error of the first volume without an image. */
export function mountedImages({ volumeMounts }: Container, volumes: ImageVolumes): Map<string, string> {
  const images = new Map<string, string>();
  for (const { name } of volumeMounts ?? []) {
    const volume = volumes.get(name);
    if (volume === undefined) continue;
    if ('error' in volume) throw volume.error;
    images.set(name, volume.imageRef);
  }
  return images;
}
