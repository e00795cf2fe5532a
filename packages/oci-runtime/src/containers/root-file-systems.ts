import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageSpec } from '@nodeagent/cri-api';
import { hostImageId, isHostImage } from '@nodeagent/process-runtime/cri';
import { notFound } from '../errors.js';
import { type RunProgram, runOrThrow } from '../programs.js';

/** The image of a container. */
export interface ContainerImage {
  id: string;
  /** Such as the repository's name with the digest. */
  reference: string;
  /** The text of the image configuration: OCI image specification. */
  config: string;
}

/** Where the root file systems of containers come from. */
export interface RootFileSystems {
  /** Undefined if the image is not on the machine. */
  find(image: ImageSpec): Promise<ContainerImage | undefined>;
  /**
   * Mounts the image with a writable layer for a container and returns the path. Whatever it creates is in the container's folder, so that the
   * runtime can unmount and remove it.
   */
  mount(image: ContainerImage, folder: string): Promise<string>;
}

const hostConfig = '{}';

/** The image `host`: the root file system of this machine, with a writable layer for each container. */
export function hostFileSystems(run: RunProgram): RootFileSystems {
  return {
    async find({ image = '' }) {
      return isHostImage(image) ? { id: hostImageId, reference: hostImageId, config: hostConfig } : undefined;
    },
    async mount(_image, folder) {
      const [upper, work, root] = ['upper', 'work', 'rootfs'].map((name) => join(folder, name)) as [string, string, string];
      for (const path of [upper, work, root]) mkdirSync(path, { recursive: true, mode: 0o755 });
      if (/[,:\\]/.test(folder)) throw notFound(`overlay mounts accept no ",", ":" or "\\" in ${folder}`);
      await runOrThrow(run, 'mount', ['-t', 'overlay', '-o', `lowerdir=/,upperdir=${upper},workdir=${work}`, 'overlay', root]);
      return root;
    },
  };
}
