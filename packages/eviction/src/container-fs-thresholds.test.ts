import { describe, expect, it } from 'vitest';
import { updateContainerFsThresholds } from './container-fs-thresholds.js';
import type { Threshold } from './threshold.js';

const threshold = (signal: Threshold['signal'], quantity: string, gracePeriodSeconds = 0): Threshold => ({
  signal,
  operator: 'LessThan',
  value: { quantity },
  gracePeriodSeconds,
});

describe('containerfs thresholds', () => {
  it('are those of the shared file system and replace configured ones', () => {
    const configured = [
      threshold('containerfs.available', '1Gi'),
      threshold('imagefs.available', '2Gi'),
      threshold('nodefs.available', '3Gi', 9),
    ];
    const follow = (dedicatedImageFs: boolean) =>
      updateContainerFsThresholds(configured, { dedicatedImageFs, splitContainerFs: false }).thresholds.map(
        ({ signal, operator, value, gracePeriodSeconds }) => [
          signal,
          operator,
          'quantity' in value ? value.quantity : '',
          gracePeriodSeconds,
        ],
      );
    expect(follow(true).slice(0, 4)).toEqual([
      ['containerfs.available', 'LessThan', '2Gi', 0],
      ['imagefs.available', 'LessThan', '2Gi', 0],
      ['nodefs.available', 'LessThan', '3Gi', 9],
      ['containerfs.available', '', '', 0],
    ]);
    expect(follow(false)[0]).toEqual(['containerfs.available', '', '', 0]);
    expect(follow(false)[3]).toEqual(['containerfs.available', 'LessThan', '3Gi', 9]);
  });

  it('replaces the last of several containerfs thresholds of one signal, hard and soft each', () => {
    const configured = [
      threshold('containerfs.available', '1Gi'),
      threshold('containerfs.available', '2Gi', 5),
      threshold('containerfs.available', '3Gi'),
      threshold('containerfs.available', '4Gi', 7),
      threshold('nodefs.available', '5Gi'),
      threshold('nodefs.available', '6Gi', 9),
    ];
    const { thresholds } = updateContainerFsThresholds(configured, { dedicatedImageFs: false, splitContainerFs: false });
    expect(thresholds.slice(0, 4)).toEqual([
      configured[0],
      configured[1],
      threshold('containerfs.available', '5Gi'),
      threshold('containerfs.available', '6Gi', 9),
    ]);
    expect(thresholds).toHaveLength(configured.length + 2);
  });
});
