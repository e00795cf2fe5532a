import { expect, it } from 'vitest';
import { quotaToMilliCpu, sharesToMilliCpu } from './cri-cpu.js';

it('converts shares and quotas to millicores', () => {
  expect([0, 1, 2, 102, 1024].map(sharesToMilliCpu)).toEqual([0, 0, 2, 100, 1000]);
  expect(quotaToMilliCpu(-1)).toBe(0);
  expect(quotaToMilliCpu(88_877)).toBe(888);
  expect(quotaToMilliCpu(Number.MAX_SAFE_INTEGER, 1000)).toBe(Number.MAX_SAFE_INTEGER);
});

it('names the invalid argument', () => {
  expect(() => sharesToMilliCpu(-1)).toThrow('shares must be an integer of at least 0, got -1');
  expect(() => quotaToMilliCpu(0.5)).toThrow(
    expect.objectContaining({ code: 'InvalidArgument', details: { field: 'quotaMicroseconds', value: 0.5 } }),
  );
  expect(() => quotaToMilliCpu(100, 0)).toThrow('periodMicroseconds must be an integer of at least 1, got 0');
});
