import type { WritablePodCache } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { failedCases, type Mutation, mutate } from '../support/test-failed-cases.js';
import { podCacheSuite } from './pod-cache-suite.js';
import { createTestPodCache } from './test-pod-cache.js';

describe('a pod cache in few words keeps the promises of a', () => {
  defineSuite({ describe, it }, podCacheSuite, () => ({ subject: { cache: createTestPodCache() } }));
});

describe('the pod cache suite', () => {
  it.each<[string, Mutation<WritablePodCache>, RegExp]>([
    ['forgets errors', ({ set }) => ({ set: (uid, status, _, moment) => set(uid, status, undefined, moment) }), /get throws/],
    ['stands still', () => ({ moment: () => 1 }), /moment is later/],
    ['answers from older looks', ({ get }) => ({ getNewerThan: async (uid) => get(uid) }), /whatever older looks find/],
    ['answers when nothing was found', ({ setObservedTime }) => ({ updateTime: (moment) => setObservedTime('web', moment) }), /updateTime/],
    ['ignores looks without news', () => ({ setObservedTime: () => {} }), /setObservedTime/],
    ['answers at a deletion', ({ updateTime }) => ({ delete: () => updateTime(Number.POSITIVE_INFINITY) }), /go on waiting/],
    ['ignores signals', ({ getNewerThan }) => ({ getNewerThan: (uid, moment) => getNewerThan(uid, moment) }), /reason of its signal/],
    [
      'waits in secret',
      ({ getNewerThan }, cache) => ({
        getNewerThan(...question) {
          cache.onWaiting = undefined;
          return getNewerThan(...question);
        },
      }),
      /onWaiting/,
    ],
  ])('notices a pod cache that %s', async (_, mutation, promise) => {
    const failed = await failedCases(podCacheSuite, () => ({ subject: { cache: mutate(createTestPodCache(), mutation) } }));
    expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(promise)]));
  });
});
