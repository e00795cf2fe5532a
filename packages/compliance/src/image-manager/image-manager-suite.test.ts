import type { ImageManager } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { defineMutations, type Mutation, mutate } from '../support/test-mutations.js';
import { createTestImageManager } from './image-manager-double.js';
import { type ImageManagerSubject, imageManagerSuite } from './image-manager-suite.js';

function setUp(mutation: Mutation<ImageManager> = () => ({})): { subject: ImageManagerSubject } {
  const clock = createVirtualClock();
  const present = new Set(['present:1']);
  const pulls: string[] = [];
  const manager = createTestImageManager({
    clock,
    imageRef: (image) => (present.has(image) ? `id of ${image}` : undefined),
    async pull(image, signal) {
      pulls.push(image);
      await clock.sleep(1_000, signal);
      if (image === 'missing:1') throw new Error('not found');
      present.add(image);
      return `id of ${image}`;
    },
  });
  return {
    subject: {
      manager: mutate(manager, mutation),
      images: { present: 'present:1', absent: ['absent:1', 'absent:2'], missing: 'missing:1' },
      pullsOf: (image) => pulls.filter((each) => each === image).length,
      advance: clock.advance,
    },
  };
}

describe('a minimal image manager keeps the promises of an', () => {
  defineSuite({ describe, it }, imageManagerSuite, () => setUp());
});

describe('the image manager suite', () => {
  const asking =
    (fields: object): Mutation<ImageManager> =>
    ({ ensureImageExists }) => ({
      ensureImageExists: (request, signal) => ensureImageExists({ ...request, ...fields }, signal),
    });

  const rows: [string, Mutation<ImageManager>, RegExp][] = [
    ['always pulls', asking({ pullPolicy: 'Always' }), /present image is not pulled/],
    ['pulls what is absent only', asking({ pullPolicy: 'IfNotPresent' }), /an unknown policy counts as Always/],
    ['never pulls', asking({ pullPolicy: 'Never' }), /absent image is pulled/],
    ['knows one pod', asking({ pod: { metadata: { uid: 'uid-web' } } }), /one pod and one image/],
    ['knows one image', asking({ image: 'present:1' }), /InvalidImageName/],
    [
      'has no codes',
      ({ ensureImageExists }) => ({
        ensureImageExists: (...call) => ensureImageExists(...call).catch(() => Promise.reject(new Error('no'))),
      }),
      /ErrImagePull/,
    ],
    [
      'ignores signals',
      ({ ensureImageExists }) => ({ ensureImageExists: (request) => ensureImageExists(request) }),
      /reason of its signal/,
    ],
    ['forgets back-offs', ({ ensureImageExists }) => ({ ensureImageExists: withoutBackOff(ensureImageExists) }), /until the back-off/],
    ['lists newest first', ({ pulls }) => ({ pulls: () => pulls().reverse() }), /oldest first/],
    ['lists nothing', () => ({ pulls: () => [] }), /pulls returns the pulls in progress, oldest first/],
    ['cannot prune', () => ({ pruneUnknownRecords: () => Promise.reject(new Error('no')) }), /pruneUnknownRecords/],
    ['start and stop are idempotent', ({ start }) => ({ start: once(start) }), /start may be called again/],
  ];
  defineMutations(
    it,
    imageManagerSuite,
    rows.map(([wrong, mutation, promise]) => [wrong, () => setUp(mutation), promise]),
  );
});

/** A second call rejects. */
function once(start: ImageManager['start']): ImageManager['start'] {
  let calls = 0;
  return (signal) => (calls++ === 0 ? start(signal) : Promise.reject(new Error('started already')));
}

/** To an honest manager each call comes from another pod. */
function withoutBackOff(ensure: ImageManager['ensureImageExists']): ImageManager['ensureImageExists'] {
  let calls = 0;
  return (request, signal) => ensure({ ...request, pod: { metadata: { uid: `uid-${++calls}` } } }, signal);
}
