import type { ContainerImage } from '@nodeagent/api';

/** An image on the node. */
export interface NodeImage {
  repoDigests: readonly string[];
  repoTags: readonly string[];
  /** Bytes. */
  size: bigint;
}

/** Maximum number of reported names per image, to limit the size of the Node object. */
const maxNames = 5;

/** The images of the Node object: the largest first, at most `maxImages` (-1: all). Kubernetes API, `NodeStatus.images`. */
export function nodeImages(images: readonly NodeImage[], maxImages: number): ContainerImage[] {
  const largestFirst = images.toSorted((a, b) => (a.size === b.size ? 0 : a.size > b.size ? -1 : 1));
  const listed = maxImages < 0 ? largestFirst : largestFirst.slice(0, maxImages);
  return listed.map(({ repoDigests, repoTags, size }) => ({
    names: [...repoDigests, ...repoTags].slice(0, maxNames),
    sizeBytes: Number(size),
  }));
}
