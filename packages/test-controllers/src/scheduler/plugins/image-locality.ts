import type { Node } from '@nodeagent/api';
import type { SchedulerPlugin } from '../framework/plugin.js';

const mebibyte = 2 ** 20;
/** Sums of sizes outside of these bounds give 0 and 100; the upper one is per container. */
const [smallest, largestPerContainer] = [23 * mebibyte, 1_000 * mebibyte];

/** For each image of the pod: on which nodes it is, and its size times the share of nodes that have it. */
interface ImageScores {
  images: { on: ReadonlySet<Node>; bytes: number }[];
  containers: number;
}

/** Prefers nodes that have the pod's images. */
export const imageLocality: SchedulerPlugin<never, ImageScores> = {
  name: 'ImageLocality',
  preScore({ pod }, { nodes }) {
    const { containers = [], initContainers = [], volumes = [] } = pod.spec ?? {};
    const all = [...initContainers, ...containers];
    const names = [...all.map(({ image }) => image), ...volumes.map(({ image }) => image?.reference)];
    const withImages = nodes.filter(({ node }) => node.status?.images?.length);
    if (withImages.length === 0) return undefined;
    const images = names.flatMap((name) => {
      if (!name) return [];
      const having = withImages.flatMap(({ node }) => {
        const size = imageSizes(node).get(withTag(name));
        return size === undefined ? [] : [{ node, size }];
      });
      const bytes = Math.trunc(((having.at(-1)?.size ?? 0) * having.length) / nodes.length);
      return having.length > 0 ? [{ on: new Set(having.map(({ node }) => node)), bytes }] : [];
    });
    return images.length > 0 ? { images, containers: all.length } : undefined;
  },
  score({ images, containers }, { node }) {
    const largest = largestPerContainer * containers;
    const sum = images.reduce((total, { on, bytes }) => total + (on.has(node) ? bytes : 0), 0);
    return Math.trunc((100 * (Math.min(largest, Math.max(smallest, sum)) - smallest)) / (largest - smallest));
  },
};

const sizes = new WeakMap<Node, Map<string, number>>();

function imageSizes(node: Node): Map<string, number> {
  const known = sizes.get(node);
  if (known) return known;
  const found = new Map(
    (node.status?.images ?? []).flatMap(({ names, sizeBytes = 0 }) => (names ?? []).map((name) => [name, Number(sizeBytes)])),
  );
  sizes.set(node, found);
  return found;
}

const withTag = (name: string) => (name.lastIndexOf(':') <= name.lastIndexOf('/') ? `${name}:latest` : name);
