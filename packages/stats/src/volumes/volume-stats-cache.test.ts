import type { Pod, PodVolumeStats } from '@nodeagent/api';
import { buildPod, createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createVolumeStatsCache } from './volume-stats-cache.js';

const minute = 60_000;
const stats = (usedBytes: bigint): PodVolumeStats => ({
  ephemeral: [{ name: 'v', time: '2026-01-01T00:00:00Z', usedBytes }],
  persistent: [],
});

function setUp(period = minute) {
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  let pods: Pod[] = [buildPod({ name: 'a', uid: 'a' }), buildPod({ name: 'b', uid: 'b' })];
  const measured: { uid: string; at: number }[] = [];
  const answers = new Map<string, (signal: AbortSignal) => Promise<PodVolumeStats>>();
  const source = {
    volumeStats: async (pod: Pod, signal: AbortSignal) => {
      const uid = pod.metadata?.uid ?? '';
      measured.push({ uid, at: clock.monotonic() });
      return answers.get(uid)?.(signal) ?? stats(BigInt(measured.length));
    },
  };
  const cache = createVolumeStatsCache({ source, pods: () => pods, clock, logger, random: () => 0.5, volumeStatsAggPeriodMs: period });
  return { clock, logger, cache, measured, answers, setPods: (next: Pod[]) => (pods = next) };
}

it('measures a pod immediately, and again one to two periods after the measurement has ended', async () => {
  const { cache, clock, measured } = setUp();
  expect(cache.of('a')).toBeUndefined();
  await cache.start();
  await clock.settle();
  expect(cache.of('a')?.ephemeral[0]?.usedBytes).toBe(1n);
  await clock.advance(3 * minute);
  expect(measured.filter(({ uid }) => uid === 'a').map(({ at }) => at / minute)).toEqual([0, 1.5, 3]);
  await cache.stop();
  expect(clock.pending).toBe(0);
});

it('removes the stats of a removed pod and measures an added one', async () => {
  const { cache, clock, measured, setPods } = setUp();
  await cache.start();
  await clock.settle();
  setPods([buildPod({ name: 'c', uid: 'c' })]);
  await clock.advance(minute);
  expect(cache.of('a')).toBeUndefined();
  expect(cache.of('c')).toBeDefined();
  const before = measured.length;
  await clock.advance(minute);
  expect(measured.slice(before).every(({ uid }) => uid === 'c')).toBe(true);
  await cache.stop();
});

it('drops the old stats of a pod whose volumes hang, and delays neither other pods nor the stop', async () => {
  const { cache, clock, answers } = setUp();
  await cache.start();
  await clock.settle();
  answers.set('a', () => new Promise(() => {}));
  await clock.advance(5 * minute);
  expect(cache.of('a')).toBeDefined();
  await clock.advance(1);
  expect(cache.of('a')).toBeUndefined();
  expect(cache.of('b')).toBeDefined();
  await cache.stop();
  expect(clock.pending).toBe(0);
});

it('measures again after an error', async () => {
  const { cache, clock, answers, logger } = setUp();
  answers.set('a', () => Promise.reject(new Error('driver away')));
  await cache.start();
  await clock.settle();
  expect(cache.of('a')).toBeUndefined();
  expect(logger.texts().some((text) => text.includes('driver away'))).toBe(true);
  answers.delete('a');
  await clock.advance(2 * minute);
  expect(cache.of('a')).toBeDefined();
  await cache.stop();
});

it('does nothing with a period of 0', async () => {
  const { cache, clock, measured } = setUp(0);
  await cache.start();
  await clock.settle();
  expect(measured).toEqual([]);
  await cache.stop();
});
