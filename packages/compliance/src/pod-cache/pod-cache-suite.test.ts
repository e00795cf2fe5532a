import type { WritablePodCache } from '@nodeagent/api';
import { describe, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { defineMutations, type Mutation, mutate } from '../support/test-mutations.js';
import { podCacheSuite } from './pod-cache-suite.js';
import { createTestPodCache } from './test-pod-cache.js';

describe('a minimal pod cache keeps the promises of a', () => {
  defineSuite({ describe, it }, podCacheSuite, () => ({ subject: { cache: createTestPodCache() } }));
});

describe('the pod cache suite', () => {
  const rows: [string, Mutation<WritablePodCache>, RegExp][] = [
    ['forgets errors', ({ set }) => ({ set: (uid, status, _, revision) => set(uid, status, undefined, revision) }), /get throws/],
    ['stands still', () => ({ revision: () => 1 }), /revision increases/],
    ['answers from older inspections', ({ get }) => ({ getNewerThan: async (uid) => get(uid) }), /not for an older one/],
    [
      'answers when nothing was found',
      ({ setObservedTime }) => ({ updateTime: (revision) => setObservedTime('web', revision) }),
      /updateTime/,
    ],
    ['ignores inspections without changes', () => ({ setObservedTime: () => {} }), /setObservedTime/],
    ['answers at a deletion', ({ updateTime }) => ({ delete: () => updateTime(Number.POSITIVE_INFINITY) }), /keep waiting/],
    ['ignores signals', ({ getNewerThan }) => ({ getNewerThan: (uid, revision) => getNewerThan(uid, revision) }), /reason of its signal/],
    [
      'does not report waiting readers',
      ({ getNewerThan }, cache) => ({
        getNewerThan(...question) {
          cache.onWaiting = undefined;
          return getNewerThan(...question);
        },
      }),
      /onWaiting/,
    ],
    ['invents a status', ({ get }) => ({ get: (uid) => ({ ...get(uid), ips: ['10.0.0.9'] }) }), /get returns an empty status/],
    [
      'keeps the first status',
      ({ set, peek }) => ({ set: (uid, ...entry) => (peek(uid) === undefined ? set(uid, ...entry) : undefined) }),
      /stored last/,
    ],
  ];
  defineMutations(
    it,
    podCacheSuite,
    rows.map(([wrong, mutation, promise]) => [wrong, () => ({ subject: { cache: mutate(createTestPodCache(), mutation) } }), promise]),
  );
});
