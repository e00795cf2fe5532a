import { describe, expect, it } from 'vitest';
import { cgroupValues } from './cgroup-values.js';
import { systemdProperties } from './systemd-properties.js';

const lines = (...args: Parameters<typeof cgroupValues>) => cgroupValues(...args).map(({ file, value }) => `${file}=${value}`);
const properties = (...args: Parameters<typeof systemdProperties>) =>
  systemdProperties(...args).map(({ name, values }) => `${name}=${values.join(' ')}`);

describe('cgroupValues', () => {
  it('writes the values of a guaranteed pod on version 1', () => {
    const resources = { cpuShares: 2048, cpuQuota: 200_000, cpuPeriod: 100_000, memory: 1n << 30n, pids: 100 };
    expect(lines(1, resources)).toEqual([
      'cpu.shares=2048',
      'cpu.cfs_period_us=100000',
      'cpu.cfs_quota_us=200000',
      'memory.limit_in_bytes=1073741824',
      'pids.max=100',
    ]);
  });

  it('writes the values of a guaranteed pod on version 2', () => {
    const resources = { cpuShares: 2048, cpuQuota: 200_000, cpuPeriod: 50_000, memory: 1n << 30n, pids: 100 };
    expect(lines(2, resources)).toEqual(['cpu.weight=79', 'cpu.max=200000 50000', 'memory.max=1073741824', 'pids.max=100']);
  });

  it('leaves values of 0 as they are', () => {
    const resources = { cpuShares: 0, cpuQuota: 0, memory: 0n, pids: 0 };
    expect(lines(1, resources)).toEqual([]);
    expect(lines(2, resources)).toEqual([]);
  });

  it('removes limits of -1', () => {
    const resources = { cpuQuota: -1, memory: -1n, pids: -1 };
    expect(lines(1, resources)).toEqual(['cpu.cfs_quota_us=-1', 'memory.limit_in_bytes=-1', 'pids.max=max']);
    expect(lines(2, resources)).toEqual(['cpu.max=max 100000', 'memory.max=max', 'pids.max=max']);
  });

  it('limits huge pages, and their reservations where the kernel can', () => {
    expect(cgroupValues(2, { hugePages: { '2MB': 4_194_304, '1GB': 0 } })).toEqual([
      { controller: 'hugetlb', file: 'hugetlb.2MB.max', value: '4194304' },
      { controller: 'hugetlb', file: 'hugetlb.2MB.rsvd.max', value: '4194304', isOptional: true },
      { controller: 'hugetlb', file: 'hugetlb.1GB.max', value: '0' },
      { controller: 'hugetlb', file: 'hugetlb.1GB.rsvd.max', value: '0', isOptional: true },
    ]);
    expect(lines(1, { hugePages: { '2MB': 0n } })).toEqual(['hugetlb.2MB.limit_in_bytes=0', 'hugetlb.2MB.rsvd.limit_in_bytes=0']);
  });

  it('writes unified values on version 2 only', () => {
    const unified = { 'memory.high': '1000' };
    expect(cgroupValues(2, { unified })).toEqual([{ controller: 'memory', file: 'memory.high', value: '1000' }]);
    expect(lines(1, { unified })).toEqual([]);
  });
});

describe('systemdProperties', () => {
  it('names the properties of version 2', () => {
    const resources = { cpuShares: 2, cpuQuota: 12_345, cpuPeriod: 100_000, memory: 5000, pids: -1, unified: { 'memory.high': 'max' } };
    expect(properties(2, resources)).toEqual([
      'CPUWeight=1',
      'CPUQuotaPeriodUSec=100000',
      'CPUQuotaPerSecUSec=130000',
      'MemoryMax=5000',
      'TasksMax=18446744073709551615',
      'MemoryHigh=18446744073709551615',
    ]);
  });

  it('names the properties of version 1', () => {
    expect(properties(1, { cpuShares: 2, cpuQuota: -1, memory: 5000, unified: { 'memory.high': '1' } })).toEqual([
      'CPUShares=2',
      'CPUQuotaPerSecUSec=18446744073709551615',
      'MemoryLimit=5000',
    ]);
  });
});
