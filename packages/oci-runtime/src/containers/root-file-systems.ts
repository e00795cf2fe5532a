import { dirname } from 'node:path';
import type { VolumeUsage } from '@nodeagent/api';
import type { ImageSpec } from '@nodeagent/cri-api';
import type { IdMappings } from '@nodeagent/image-store';
import { hostImageId, isHostImage } from '@nodeagent/process-runtime/cri';
import { imagesOf, readConfig } from '../images/image-service.js';
import type { RuntimeImageStore } from '../images/image-store.js';
import { referenceOf } from '../images/image-view.js';
import { storeError } from '../images/store-error.js';
import type { ContainerRecord } from '../state/records.js';
import { requireReachable } from '../state/require-reachable.js';
import { imageVolumes } from './requested-image-volumes.js';

/** The image of a container. */
export interface ContainerImage {
  id: string;
  /** Such as the repository's name with the digest. */
  reference: string;
  /** The text of the image configuration: OCI image specification. */
  config: string;
}

/** The root file systems of containers: mounts of the image store, each with a writable layer. */
export interface RootFileSystems {
  /** Undefined if the image is not on the machine. */
  find(image: ImageSpec): Promise<ContainerImage | undefined>;
  /**
   * Mounts the image for a container and resolves to the path. The mount is named after the container, so that it can be found again.
   * @param idMappings - those of the pod's user namespace: its root owns the files of root
   */
  mount(image: ContainerImage, containerId: string, idMappings?: IdMappings): Promise<string>;
  /** Mounts an image read-only, or a path in it, as a volume of a container, and resolves to the path, in which there are no links. */
  mountVolume(image: ContainerImage, containerId: string, volume: ImageVolume): Promise<string>;
  /** Unmounts and removes what a container has. Idempotent. */
  remove(container: Pick<ContainerRecord, 'id' | 'config'>): Promise<void>;
  /** Removes what containers have that do not exist any more. */
  removeUnused(exists: (containerId: string) => boolean): Promise<void>;
  /** What the writable layer of a container takes. */
  layerUsage(containerId: string, signal: AbortSignal): Promise<VolumeUsage>;
}

/** An image as a volume. */
interface ImageVolume {
  /** Its position among the mounts of the request. */
  position: number;
  /** Empty for the whole image. */
  subPath: string;
  idMappings?: IdMappings;
}

const hostConfig = '{}';

/**
 * The image `host` shows the root file system of this machine; the others are those of the store.
 *
 * @param prefix - of the names of all mounts: the store may have mounts of other runtimes
 */
export function createRootFileSystems(store: RuntimeImageStore, prefix: string): RootFileSystems {
  const rootKey = (containerId: string) => `${prefix}${containerId}`;
  const volumeKey = (containerId: string, position: number) => `${prefix}${containerId}.${position}`;
  /** The container that a mount is named after; undefined for a mount of another program. */
  const containerOf = (key: string) => (key.startsWith(prefix) ? key.slice(prefix.length).split('.')[0] : undefined);
  // A process that was just killed may still use a mount: it keeps it until it has ended.
  const unmount = (key: string) =>
    store.removeMount(key, { isLazy: true }).catch((error) => Promise.reject(storeError(`cannot remove the mount ${key}`, error)));

  return {
    async find({ image = '' }) {
      if (isHostImage(image)) return { id: hostImageId, reference: hostImageId, config: hostConfig };
      const [found] = imagesOf(store, image);
      if (found === undefined) return undefined;
      try {
        return { id: found.id, reference: referenceOf(found), config: await readConfig(store, found) };
      } catch (error) {
        throw storeError(`cannot read the image "${image}"`, error);
      }
    },
    async mount({ id }, containerId, idMappings) {
      try {
        const { path } = await store.mount(treeOf(id), { key: rootKey(containerId), isWritable: true, ...(idMappings && { idMappings }) });
        // The folder of the mount belongs to the namespace, those above do not.
        if (idMappings !== undefined) requireReachable(dirname(dirname(path)));
        return path;
      } catch (error) {
        throw storeError(`cannot mount the root file system of container "${containerId}"`, error);
      }
    },
    async mountVolume({ id }, containerId, { position, subPath, idMappings }) {
      const options = { key: volumeKey(containerId, position), ...(subPath && { subPath }), ...(idMappings && { idMappings }) };
      try {
        return (await store.mount(treeOf(id), options)).path;
      } catch (error) {
        // The kubelet recognises it by the first word.
        throw storeError('ImageVolumeMountFailed: cannot mount an image', error);
      }
    },
    async remove({ id, config }) {
      for (const [position] of imageVolumes(config)) await unmount(volumeKey(id, position));
      await unmount(rootKey(id));
    },
    async removeUnused(exists) {
      for (const { key } of await store.listMounts()) {
        const id = containerOf(key);
        if (id !== undefined && !exists(id)) await unmount(key);
      }
    },
    layerUsage: (containerId, signal) => store.snapshotUsage(rootKey(containerId), signal),
  };
}

const treeOf = (imageId: string) => (imageId === hostImageId ? { folders: ['/'] } : imageId);
