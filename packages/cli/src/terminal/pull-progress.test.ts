import type { PullInProgress } from '@nodeagent/core/node';
import { expect, it } from 'vitest';
import { pullProgress, pullsOfPod } from './pull-progress.js';

const now = 200_000;
const pulls: PullInProgress[] = [
  { image: 'big:1', podUid: 'a', state: 'pulling', since: now - 150_000, startedAt: now - 42_000 },
  { image: 'next:1', podUid: 'b', state: 'waiting', since: now - 130_000 },
  { image: 'next:1', podUid: 'c', state: 'waiting', since: now - 5_000 },
];

it.each([
  [0, 'pulling image for 42s: big:1'],
  [1, 'image pull queued for 2m10s (1 of 2): next:1'],
  [2, 'image pull queued for 5s (2 of 2): next:1'],
])('pull %i: %s', (index, text) => {
  const pull = pulls[index];
  expect(pull && pullProgress(pull, pulls, now)).toBe(text);
});

it("is shown for the pod's own pulls", () => {
  expect(pullsOfPod('c', pulls, now)).toEqual(['image pull queued for 5s (2 of 2): next:1']);
  expect(pullsOfPod('none', pulls, now)).toEqual([]);
});
