import { defineSuite, type ImageManagerSubject, imageManagerSuite } from '@nodeagent/compliance';
import type { Image } from '@nodeagent/cri-api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createImageManager } from './image-manager.js';

/** An image manager over a runtime that takes a second for a pull. */
function setUp(maxParallelImagePulls: number): { subject: ImageManagerSubject } {
  const clock = createVirtualClock();
  const local = new Map<string, Image>();
  const pulls: string[] = [];
  const add = (name: string) => {
    const id = `sha256:${name}`;
    local.set(name, { id, repoTags: [name], repoDigests: [], size: 1n, username: '', pinned: false });
    return { imageRef: id };
  };
  add('present:1');
  const manager = createImageManager({
    clock,
    settings: { maxParallelImagePulls },
    images: {
      imageStatus: async ({ image }) => ({ image: local.get(image?.image ?? ''), info: {} }),
      listImages: async () => ({ images: [...local.values()] }),
      async pullImage({ image: { image = '' } = {} }, options) {
        pulls.push(image);
        await clock.sleep(1_000, options?.signal);
        if (image === 'missing:1') throw new Error('not found');
        return add(image);
      },
    },
  });
  return {
    subject: {
      manager,
      images: { present: 'present:1', absent: ['absent:1', 'absent:2'], missing: 'missing:1' },
      pullsOf: (image) => pulls.filter((each) => each === image).length,
      advance: clock.advance,
    },
  };
}

describe.each([1, 3])('the image manager with %d pulls at once keeps the promises of an', (parallel) => {
  defineSuite({ describe, it }, imageManagerSuite, () => setUp(parallel));
});
