import { expect, it } from 'vitest';
import { createWatchBackoff } from './watch-backoff.js';

const delays = (backoff: ReturnType<typeof createWatchBackoff>, times: readonly number[]) => times.map((now) => backoff.next(now));

it('doubles from 0.8 s to 30 s, each with up to as much jitter', () => {
  const times = [0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000];
  expect(
    delays(
      createWatchBackoff(() => 0),
      times,
    ),
  ).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  expect(
    delays(
      createWatchBackoff(() => 1),
      times,
    ),
  ).toEqual([1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 60_000, 60_000]);
});

it('starts again at 0.8 s after more than two minutes without a failure', () => {
  expect(
    delays(
      createWatchBackoff(() => 0),
      [0, 1_000, 121_000, 241_001, 242_000],
    ),
  ).toEqual([800, 1_600, 3_200, 800, 1_600]);
});
