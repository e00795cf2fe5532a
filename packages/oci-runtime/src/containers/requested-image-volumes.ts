import type { ContainerConfig, Mount } from '@nodeagent/cri-api';

/** Mounts whose content is that of an image, with their positions in the request. */
export const imageVolumes = ({ mounts = [] }: ContainerConfig): [position: number, mount: Mount][] =>
  [...mounts.entries()].filter(([, { image }]) => image?.image);
