import { describe, expect, it } from 'vitest';
import { formatBytes } from './format-bytes.js';
import type { ImageRecord } from './image-record.js';
import { planImageGc } from './plan.js';
import { resolveSettings } from './settings.js';
import { spaceToFree } from './space-to-free.js';

const record = (id: string, size: bigint, rest: Partial<ImageRecord> = {}): ImageRecord => ({
  id,
  size,
  pinned: false,
  firstDetected: 0,
  ...rest,
});
const now = 1_000_000;
const settings = resolveSettings();

describe('planImageGc', () => {
  const records = [
    record('used', 100n, { lastUsed: now }),
    record('pause', 10n, { pinned: true }),
    record('young', 50n, { firstDetected: now - 119_999 }),
    record('recent', 200n, { lastUsed: 900_000 }),
    record('never', 30n),
    record('long ago', 200n, { lastUsed: 100_000 }),
    record('exactly old enough', 5n, { firstDetected: now - 120_000 }),
  ];
  const input = { records, inUse: new Set(['used']), now, startedAt: 0, settings };
  const lines = (plan: ReturnType<typeof planImageGc>) => plan.images.map(({ id, action, reason }) => `${action} ${id}: ${reason}`);

  it('plans by numbers as JSON has them, with the kubelet’s settings', () => {
    const asJson = records.map(({ size, pinned, ...rest }) => ({ ...rest, size: Number(size), ...(pinned && { pinned }) }));
    const imageFs = { capacityBytes: 1000, availableBytes: 100 };
    expect(planImageGc({ records: asJson, inUse: ['used'], now, imageFs })).toEqual(
      planImageGc({ ...input, imageFs: { capacityBytes: 1000n, availableBytes: 100n } }),
    );
  });

  it('names the image whose size is no number', () => {
    const records = [{ id: 'web:1', size: Number.NaN, firstDetected: 0 }];
    expect(() => planImageGc({ ...input, records })).toThrow('size of image web:1 must be a finite number or a bigint, got NaN');
  });

  it('gives the reason to keep or remove each image, and stops when enough is freed', () => {
    const plan = planImageGc({ ...input, imageFs: { capacityBytes: 1000n, availableBytes: 100n } });
    expect(lines(plan)).toEqual([
      'remove never: FreesSpace',
      'remove exactly old enough: FreesSpace',
      'keep young: TooYoung',
      'remove long ago: FreesSpace',
      'keep recent: NotNeeded',
      'keep used: InUse',
      'keep pause: Pinned',
    ]);
    expect(plan).toMatchObject({ usage: { usagePercent: 90, bytesToFree: 100 }, freedBytes: 235 });
    expect(plan.shortfall).toBeUndefined();
    expect(plan.images[3]).toMatchObject({ knownForMs: now, unusedForMs: 900_000 });
  });

  it('keeps an image that a container used at the time of the plan, even if none uses it any more', () => {
    const imageFs = { capacityBytes: 1000n, availableBytes: 100n };
    const plan = planImageGc({ ...input, records: [record('stopped', 200n, { lastUsed: now })], inUse: [], imageFs });
    expect(lines(plan)).toEqual(['keep stopped: JustUsed']);
    expect(plan.freedBytes).toBe(0);
  });

  it('reports why the other images are kept if the removable ones do not free enough', () => {
    const plan = planImageGc({ ...input, imageFs: { capacityBytes: 10_000n, availableBytes: 100n } });
    expect(plan.freedBytes).toBe(435);
    expect(plan.shortfall).toBe(
      'wanted to free 1.9 KiB, could free 435 B because of the other images 1 in use (100 B), 1 pinned (10 B), 1 too young (50 B)',
    );
    expect(planImageGc({ ...input, records: [], imageFs: { capacityBytes: 1000n } }).shortfall).toBe(
      'wanted to free 200 B, could free 0 B because there are no other images',
    );
  });

  it('below the threshold, removes only images above the maximum age, once the manager has run that long', () => {
    const imageFs = { capacityBytes: 1000n, availableBytes: 900n };
    expect(planImageGc({ ...input, imageFs }).freedBytes).toBe(0);
    const aged = { ...settings, imageMaximumGCAgeMs: 500_000 };
    const plan = planImageGc({ ...input, imageFs, settings: aged });
    expect(plan.images.filter(({ reason }) => reason === 'TooOld').map(({ id }) => id)).toEqual([
      'never',
      'exactly old enough',
      'young',
      'long ago',
    ]);
    expect(planImageGc({ ...input, imageFs, settings: aged, startedAt: now - 500_000 }).freedBytes).toBe(0);
  });
});

describe('spaceToFree', () => {
  it('rounds usage up, includes the threshold, and caps the available bytes at the capacity', () => {
    expect(spaceToFree({ capacityBytes: 1000n, availableBytes: 159n }, 85, 80)).toMatchObject({ usagePercent: 85, bytesToFree: 41n });
    expect(spaceToFree({ capacityBytes: 1000n, availableBytes: 160n }, 85, 80)?.bytesToFree).toBeUndefined();
    expect(spaceToFree({ capacityBytes: 1000n, availableBytes: 2000n }, 85, 80)).toMatchObject({ usagePercent: 0, availableBytes: 1000n });
    expect(spaceToFree({ availableBytes: 5n }, 85, 80)).toBeUndefined();
    expect(spaceToFree({ capacityBytes: 1000n }, 85, 80)).toMatchObject({ usagePercent: 100, bytesToFree: 200n });
  });
});

it('formats sizes as the kubelet does', () => {
  expect([0n, 1023n, 1024n, 1536n, 40n << 30n, 5000n << 40n].map(formatBytes)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KiB',
    '1.5 KiB',
    '40.0 GiB',
    '5000.0 TiB',
  ]);
});
