import { describe, expect, it } from 'vitest';
import { parseThresholds } from './parse-thresholds.js';

const signals = (config: Parameters<typeof parseThresholds>[0]) => parseThresholds(config).map(({ signal }) => signal);

describe('parseThresholds', () => {
  it('returns the defaults without configuration, else only the configured thresholds', () => {
    expect(signals({})).toEqual([
      'memory.available',
      'nodefs.available',
      'nodefs.inodesFree',
      'imagefs.available',
      'imagefs.inodesFree',
      'allocatableMemory.available',
    ]);
    expect(signals({ evictionHard: { 'pid.available': '5%' } })).toEqual(['pid.available']);
    expect(signals({ evictionHard: { 'pid.available': '5%', 'nodefs.available': '0%' }, mergeDefaultEvictionSettings: true })).toEqual([
      'memory.available',
      'nodefs.inodesFree',
      'imagefs.available',
      'imagefs.inodesFree',
      'pid.available',
      'allocatableMemory.available',
    ]);
  });

  it('returns 32-bit percentages, grace periods in seconds, and the minimum reclaim of each signal', () => {
    expect(
      parseThresholds({
        evictionHard: { 'memory.available': '1Gi' },
        evictionSoft: { 'memory.available': '10%' },
        evictionSoftGracePeriod: { 'memory.available': '1m30s' },
        evictionMinimumReclaim: { 'memory.available': '500Mi' },
        enforceNodeAllocatable: ['none'],
      }),
    ).toEqual([
      {
        signal: 'memory.available',
        operator: 'LessThan',
        value: { quantity: '1Gi' },
        gracePeriodSeconds: 0,
        minReclaim: { quantity: '500Mi' },
      },
      {
        signal: 'memory.available',
        operator: 'LessThan',
        value: { percentage: 0.10000000149011612 },
        gracePeriodSeconds: 90,
        minReclaim: { quantity: '500Mi' },
      },
    ]);
  });

  it.each([
    [{ evictionHard: { 'mem.available': '1' } }, 'evictionHard[mem.available]', 'unsupported eviction signal mem.available'],
    [{ evictionHard: { 'pid.available': '1GiB' } }, 'evictionHard[pid.available]', 'quantities must match the regular expression'],
    [{ evictionHard: { 'pid.available': '101%' } }, 'evictionHard[pid.available]', 'must be <= 100%: 101%'],
    [{ evictionHard: { 'pid.available': 'ten%' } }, 'evictionHard[pid.available]', '"ten%" is not a percentage'],
    [{ evictionHard: { 'pid.available': '1e39%' } }, 'evictionHard[pid.available]', '"1e39%" is not a percentage'],
    [{ evictionSoft: { 'pid.available': '1' } }, 'evictionSoftGracePeriod[pid.available]', 'grace period must be specified'],
    [{ evictionSoftGracePeriod: { 'pid.available': '1d' } }, 'evictionSoftGracePeriod[pid.available]', '"1d" is not a duration'],
    [{ evictionMinimumReclaim: { 'pid.available': '-1' } }, 'evictionMinimumReclaim[pid.available]', 'negative eviction minimum reclaim'],
    [{ evictionMinimumReclaim: { 'pid.available': '0%' } }, 'evictionMinimumReclaim[pid.available]', 'must be positive: 0%'],
  ])('rejects %j', (config, field, message) => {
    expect(() => parseThresholds(config as never)).toThrow(
      expect.objectContaining({ code: 'InvalidEvictionConfig', message: expect.stringContaining(message), details: { field } }),
    );
  });
});
