import { expect, it } from 'vitest';
import type { SampleOptions } from './cgroup-reader.js';
import type { CgroupSample } from './cgroup-sample.js';
import { createSampler } from './sampler.js';

function testCgroup() {
  const cgroup = { usageBytes: 10n, limitBytes: 100n, monotonic: 0, isRemoved: false };
  let reads = 0;
  const sampler = createSampler({
    sample(_path: string, { limits }: SampleOptions = {}): CgroupSample | undefined {
      if (cgroup.isRemoved) return undefined;
      if (limits === undefined) reads++;
      const { usageBytes, limitBytes, monotonic } = cgroup;
      const usage = { usageBytes, workingSetBytes: usageBytes, rssBytes: 0n, inactiveFileBytes: 0n, pageFaults: 0n, majorPageFaults: 0n };
      const memory = { ...usage, ...(limits ?? { limitBytes, swapLimitBytes: 0n }) };
      return { time: 0, monotonic, hasCpu: true, cpu: { usageNanos: 0n }, hasMemory: true, memory };
    },
  });
  /** The limit that one pass returns, and how often it read the limits. */
  const pass = (cacheLimits = true) => {
    sampler.sample('/');
    reads = 0;
    const limit = sampler.sample('/pod', { cacheLimits })?.sample.memory?.limitBytes;
    sampler.endPass();
    return { limit, reads };
  };
  return { cgroup, pass };
}

it('reads cached limits once a minute, others in each pass', () => {
  const { cgroup, pass } = testCgroup();
  expect(pass()).toEqual({ limit: 100n, reads: 1 });
  cgroup.limitBytes = 200n;
  cgroup.monotonic = 59_000;
  expect(pass()).toEqual({ limit: 100n, reads: 0 });
  cgroup.monotonic = 60_000;
  expect(pass()).toEqual({ limit: 200n, reads: 1 });
  cgroup.limitBytes = 300n;
  expect(pass(false)).toEqual({ limit: 300n, reads: 1 });
});

it('reads cached limits again if usage exceeds them, and after the cgroup was removed', () => {
  const { cgroup, pass } = testCgroup();
  pass();
  Object.assign(cgroup, { usageBytes: 150n, limitBytes: 200n, monotonic: 10_000 });
  expect(pass()).toEqual({ limit: 200n, reads: 1 });
  expect(pass()).toEqual({ limit: 200n, reads: 0 });
  cgroup.isRemoved = true;
  expect(pass()).toEqual({ limit: undefined, reads: 0 });
  Object.assign(cgroup, { isRemoved: false, limitBytes: 400n });
  expect(pass()).toEqual({ limit: 400n, reads: 1 });
});
