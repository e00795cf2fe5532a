import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LinuxContainerResources } from '@nodeagent/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canRunContainers, installedRuntimes } from './test-machine.js';
import { useMachinePods } from './test-machine-pods.js';

const root = '/sys/fs/cgroup';
const isUnified = existsSync(join(root, 'cgroup.controllers'));

describe.runIf(canRunContainers).each(installedRuntimes)('the CPU quota of a container on %s', (program) => {
  const pods = useMachinePods({ beforeEach, afterEach }, undefined, program);

  it('is changed, removed and set again by updates', async () => {
    const linux = { resources: { cpuQuota: 50_000n, cpuPeriod: 100_000n, cpuShares: 512n } };
    const containerId = await pods.start(await pods.runSandbox(), 'sleep 1000', { linux });
    const folder = join(root, isUnified ? '' : 'cpu', pods.machine.cgroupParent, containerId);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
    const limits = () => (isUnified ? read('cpu.max') : `${read('cpu.cfs_quota_us')} ${read('cpu.cfs_period_us')}`.replace('-1', 'max'));
    const after = async (resources: LinuxContainerResources) => {
      await pods.oci.runtime.updateContainerResources({ containerId, linux: resources });
      return limits();
    };
    expect(limits()).toBe('50000 100000');
    expect(await after({ cpuQuota: 70_000n, cpuPeriod: 100_000n })).toBe('70000 100000');
    expect(await after({ cpuQuota: -1n, cpuPeriod: 100_000n, cpuShares: 256n, memoryLimitInBytes: 100n << 20n })).toBe('max 100000');
    expect(await after({ cpuQuota: 30_000n, cpuPeriod: 50_000n })).toBe('30000 50000');
    expect(await after({ cpuQuota: -1n })).toBe('max 50000');
  });
});
