import { describe, expect, it } from 'vitest';
import { containerCgroupFolder, containerCgroupPath, podCgroupFolder, podCgroupParent } from './cgroup-path.js';
import type { CgroupFacts } from './machine.js';
import { containerResources, oomScoreAdjustment } from './resources.js';

const v1: CgroupFacts = { version: 1, driver: 'cgroupfs', controllers: ['cpu', 'cpuset', 'memory', 'pids'], hasSwap: true };
const v2: CgroupFacts = { ...v1, version: 2, controllers: [...v1.controllers, 'hugetlb'] };

const request = {
  cpuShares: 512n,
  cpuQuota: -1n,
  cpuPeriod: 100000n,
  memoryLimitInBytes: 1000n,
  cpusetCpus: '0-1',
  cpusetMems: '0',
  hugepageLimits: [{ pageSize: '2MB', limit: 0n }],
  unified: { 'memory.high': '900', 'io.weight': '5', 'cgroup.freeze': '0' },
};

describe('containerResources', () => {
  it('sets what the request limits', () => {
    expect(containerResources(request, v2)).toEqual({
      memory: { limit: 1000, swap: 1000 },
      cpu: { shares: 512, quota: -1, period: 100000, cpus: '0-1', mems: '0' },
      hugepageLimits: [{ pageSize: '2MB', limit: 0 }],
      unified: { 'memory.high': '900', 'cgroup.freeze': '0' },
    });
    expect(containerResources({}, v2)).toEqual({});
  });

  it('leaves out controllers that the machine lacks, and files of version 2 on version 1', () => {
    expect(containerResources(request, v1)).toEqual({
      memory: { limit: 1000, swap: 1000 },
      cpu: { shares: 512, quota: -1, period: 100000, cpus: '0-1', mems: '0' },
    });
    expect(containerResources(request, { ...v1, controllers: ['cpu'], hasSwap: false })).toEqual({
      cpu: { shares: 512, quota: -1, period: 100000 },
    });
  });

  it('limits swap as requested, else allows none', () => {
    const memory = (memorySwapLimitInBytes: bigint, hasSwap = true) =>
      containerResources({ memoryLimitInBytes: 1000n, memorySwapLimitInBytes }, { ...v1, hasSwap }).memory;
    expect([memory(0n), memory(3000n), memory(-1n), memory(3000n, false)]).toEqual([
      { limit: 1000, swap: 1000 },
      { limit: 1000, swap: 3000 },
      { limit: 1000, swap: -1 },
      { limit: 1000 },
    ]);
  });

  it('writes no number that JSON readers round beyond 64 bits', () => {
    expect(containerResources({ memoryLimitInBytes: 2n ** 63n - 1n }, v1).memory?.limit).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['memory_swap_limit_in_bytes: 5 is memory and swap', { memoryLimitInBytes: 10n, memorySwapLimitInBytes: 5n }],
    ['memory_limit_in_bytes: must be at least -1, not -2', { memoryLimitInBytes: -2n }],
    ['cpu_shares: must be at least 0, not -1', { cpuShares: -1n }],
    ['unified: "../x" is not the name', { unified: { '../x': '1' } }],
    ['unified: "memory.high/x" is not the name', { unified: { 'memory.high/x': '1' } }],
  ])('refuses with "%s"', (message, limits) => {
    expect(() => containerResources(limits, v2)).toThrow(message);
  });
});

it('raises an OOM score to the lowest that the agent may set', () => {
  expect([oomScoreAdjustment({}, {}), oomScoreAdjustment({ oomScoreAdj: -997n }, {})]).toEqual([0, -997]);
  expect(oomScoreAdjustment({ oomScoreAdj: -997n }, { minOomScoreAdj: -17 })).toBe(-17);
  expect(() => oomScoreAdjustment({ oomScoreAdj: 1001n }, {})).toThrow('oom_score_adj: must be from -1000 to 1000, not 1001');
});

it('knows the folders of pods and containers', () => {
  expect(podCgroupFolder('kubepods/pod1', 'cgroupfs')).toBe('/kubepods/pod1');
  expect(containerCgroupFolder('/kubepods/pod1/', 'c1', 'cgroupfs')).toBe('/kubepods/pod1/c1');
  const slice = '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice';
  expect(podCgroupFolder(slice, 'systemd')).toBe(slice);
  expect(podCgroupFolder('kubepods-burstable-pod1.slice', 'systemd')).toBe(slice);
  expect(containerCgroupFolder(slice, 'c1', 'systemd')).toBe(`${slice}/nodeagent-c1.scope`);
  expect(containerCgroupFolder('', 'c1', 'systemd')).toBe('/system.slice/nodeagent-c1.scope');
});

it('puts a pod that names no cgroup into one of the runtime, or of systemd', () => {
  expect(podCgroupParent({ linux: { cgroupParent: '/kubepods/pod1' } }, 'cgroupfs')).toBe('/kubepods/pod1');
  expect([podCgroupParent({}, 'cgroupfs'), podCgroupParent({}, 'systemd')]).toEqual(['/nodeagent', '']);
});

describe('containerCgroupPath', () => {
  it.each([
    ['/kubepods/burstable/pod1', 'cgroupfs', '/kubepods/burstable/pod1/c1'],
    ['kubepods/', 'cgroupfs', '/kubepods/c1'],
    ['', 'cgroupfs', '/c1'],
    ['/kubepods.slice/kubepods-pod1.slice', 'systemd', 'kubepods-pod1.slice:nodeagent:c1'],
    ['kubepods-pod1.slice', 'systemd', 'kubepods-pod1.slice:nodeagent:c1'],
    ['', 'systemd', 'system.slice:nodeagent:c1'],
  ] as const)('is below "%s" for %s', (parent, driver, path) => {
    expect(containerCgroupPath(parent, 'c1', driver)).toBe(path);
  });

  it('refuses the form of the other driver, and a parent that leads elsewhere', () => {
    expect(() => containerCgroupPath('/a.slice', 'c1', 'cgroupfs')).toThrow('cgroup_parent: "/a.slice" is one of the driver systemd');
    expect(() => containerCgroupPath('/kubepods', 'c1', 'systemd')).toThrow('is one of the driver cgroupfs');
    expect(() => containerCgroupPath('/a/../..', 'c1', 'cgroupfs')).toThrow('must have no ".."');
  });
});
