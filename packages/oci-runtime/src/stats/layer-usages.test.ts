import type { VolumeUsage } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createLayerUsages } from './layer-usages.js';

/** Layers whose measurements end when the test ends them. */
function fixture() {
  const clock = createVirtualClock();
  const running: { id: string; end(usedBytes: bigint): void; fail(): void }[] = [];
  const measure = (id: string) =>
    new Promise<VolumeUsage>((resolve, reject) => {
      running.push({
        id,
        end: (usedBytes) => resolve({ usedBytes, inodesUsed: 1n } as VolumeUsage),
        fail: () => reject(new Error('no such mount')),
      });
    });
  const usages = createLayerUsages({ mountpoint: '/images', measure, clock, now: () => 7n });
  const bytes = async () => (await usages.of('c1'))?.usedBytes?.value;
  return { clock, running, usages, bytes };
}

it('waits for the first measurement, which counts for 10 s', async () => {
  const { clock, running, usages, bytes } = fixture();
  const [first, second] = [usages.of('c1'), bytes()];
  running[0]?.end(5n);
  const expected = { timestamp: 7n, fsId: { mountpoint: '/images' }, usedBytes: { value: 5n }, inodesUsed: { value: 1n } };
  expect([await first, await second]).toEqual([expected, 5n]);
  await clock.advance(9_999);
  expect([await bytes(), running.length]).toEqual([5n, 1]);
});

it('measures again without a wait, and once at a time', async () => {
  const { clock, running, usages, bytes } = fixture();
  const first = bytes();
  running[0]?.end(5n);
  await first;
  await clock.advance(10_000);
  expect([await bytes(), await bytes(), running.length]).toEqual([5n, 5n, 2]);
  running[1]?.end(6n);
  await clock.advance(0);
  expect(await bytes()).toBe(6n);
  await clock.advance(10_000);
  await bytes();
  running[2]?.fail();
  await clock.advance(0);
  expect([await bytes(), running.length]).toEqual([undefined, 3]);
  usages.forget('c1');
  void usages.of('c1');
  expect(running.length).toBe(4);
});

it('measures a layer that takes long for at most 5% of the time', async () => {
  const { clock, running, bytes } = fixture();
  const first = bytes();
  await clock.advance(2_000);
  running[0]?.end(5n);
  await first;
  await clock.advance(39_999);
  expect([await bytes(), running.length]).toEqual([5n, 1]);
  await clock.advance(1);
  expect([await bytes(), running.length]).toEqual([5n, 2]);
});
