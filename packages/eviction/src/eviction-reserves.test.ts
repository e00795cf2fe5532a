import { expect, it } from 'vitest';
import { evictionReserves } from './eviction-reserves.js';
import { parseThresholds } from './parse-thresholds.js';
import type { Threshold } from './threshold.js';

it('only hard thresholds of memory and nodefs reserve their amount', () => {
  const settings = {
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'nodefs.inodesFree': '5%', 'imagefs.available': '15%' },
    evictionSoft: { 'memory.available': '1Gi' },
    evictionSoftGracePeriod: { 'memory.available': '1m' },
  };
  expect(evictionReserves(parseThresholds(settings))).toEqual([
    { resource: 'memory', value: { quantity: '100Mi' } },
    { resource: 'ephemeral-storage', value: { percentage: expect.closeTo(0.1) } },
  ]);
});

it('a threshold that is never met reserves nothing', () => {
  const threshold: Threshold = { signal: 'memory.available', operator: '', value: { quantity: '1Gi' }, gracePeriodSeconds: 0 };
  expect(evictionReserves([threshold])).toEqual([]);
});
