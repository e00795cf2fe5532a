import { afterAll, expect, it } from 'vitest';
import { layOut, webPod } from '../test-harness.js';
import { createCgroupReader } from './cgroup-reader.js';
import { unlimited } from './kernel-file.js';

const tree = layOut('v1-cgroupfs');
afterAll(() => tree.destroy());
const reader = createCgroupReader(tree.roots);
const pod = `/kubepods/burstable/pod${webPod.uid}`;
const container = `${pod}/${webPod.containerId}`;
const noLimit = 9_223_372_036_854_771_712n;

it('finds pods and containers in cgroup v1', () => {
  const paths = reader.find([webPod.containerId]);
  expect(reader.version()).toBe(1);
  expect(paths.pods.get(webPod.uid)).toBe(pod);
  expect(paths.containers.get(webPod.containerId)).toBe(container);
});

it('reads all values of a recorded container', () => {
  expect(reader.sample(container, { processes: true, detail: true })).toMatchObject({
    hasCpu: true,
    cpu: {
      usageNanos: 495_831_283n,
      userNanos: 470_000_000n,
      systemNanos: 20_000_000n,
      cfs: { periods: 26n, throttledPeriods: 23n, throttledNanos: 694_720_855n, burstPeriods: 0n, burstNanos: 0n },
    },
    hasMemory: true,
    memory: {
      usageBytes: 50_606_080n,
      workingSetBytes: 50_606_080n - 46_817_280n,
      rssBytes: 3_301_376n,
      cacheBytes: 46_817_280n,
      pageFaults: 2_246n,
      majorPageFaults: 0n,
      limitBytes: 268_435_456n,
      swapBytes: 0n,
      swapLimitBytes: noLimit,
    },
    processes: 1,
    detail: {
      shares: 1024n,
      quotaMicros: 20_000n,
      periodMicros: 100_000n,
      maxUsageBytes: 53_874_688n,
      failures: 0n,
      oomKills: 0n,
      reservationBytes: noLimit,
      threads: 2n,
      threadsMax: unlimited,
      io: [],
    },
  });
  expect(reader.sample(container)?.psi).toBeUndefined();
});

it('reports memory and swap of the machine as limits of the root', () => {
  expect(reader.sample('/')?.memory).toMatchObject({ limitBytes: 16_384_000n * 1024n, swapLimitBytes: 2_097_152n * 1024n });
});

it('counts reads and writes of devices', () => {
  const folder = `blkio${container}`;
  tree.write(`${folder}/blkio.throttle.io_service_bytes_recursive`, '8:0 Read 4096\n8:0 Write 8192\n8:0 Total 12288\nTotal 12288\n');
  tree.write(`${folder}/blkio.throttle.io_serviced_recursive`, '8:0 Read 1\n8:0 Write 2\n8:0 Total 3\nTotal 3\n');
  const io = [{ major: 8, minor: 0, readBytes: 4096n, writeBytes: 8192n, reads: 1n, writes: 2n }];
  expect(reader.sample(container, { detail: true })?.detail?.io).toEqual(io);
});

it('omits memory if its files are truncated, and returns undefined for a removed cgroup', () => {
  tree.write(`memory${container}/memory.usage_in_bytes`, '506');
  expect(reader.sample(container)).toMatchObject({ hasMemory: true, cpu: { usageNanos: 495_831_283n } });
  expect(reader.sample(container)?.memory).toBeUndefined();
  tree.remove(`memory${container}`);
  tree.remove(`cpuacct${container}`);
  expect(reader.sample(container)).toBeUndefined();
});
