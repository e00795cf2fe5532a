import { formatResourceList } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { nodeCgroupResources, podsCgroupLimits } from './node-resources.js';
import { qosCgroupResources } from './qos-resources.js';

const withCpu = (name: string, requests: string, limits?: string) =>
  buildPod({
    name,
    containers: [{ resources: { requests: { cpu: requests }, ...(limits && { limits: { cpu: limits, memory: '1Gi' } }) } }],
  });

describe('qosCgroupResources', () => {
  it('gives burstable pods shares by the sum of their requests', () => {
    const guaranteed = buildPod({ name: 'g', containers: [{ resources: { limits: { cpu: '3', memory: '1Gi' } } }] });
    const pods = [withCpu('a', '500m'), withCpu('b', '1', '2'), guaranteed, buildPod({ name: 'best-effort' })];
    expect(qosCgroupResources(pods)).toEqual({ burstable: { cpuShares: 1536 }, besteffort: { cpuShares: 2 } });
  });

  it('gives the minimum without pods, and does not limit huge pages', () => {
    expect(qosCgroupResources([], ['2MB'])).toEqual({
      burstable: { cpuShares: 2, hugePages: { '2MB': 1n << 62n } },
      besteffort: { cpuShares: 2, hugePages: { '2MB': 1n << 62n } },
    });
  });
});

describe('the cgroup of all pods', () => {
  it('is limited only by the reservations', () => {
    const input = {
      capacity: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi' },
      systemReserved: { cpu: '250m', pid: '100' },
      kubeReserved: { cpu: '250m', memory: '1Gi' },
    };
    expect(formatResourceList(podsCgroupLimits(input))).toEqual({ cpu: '3500m', memory: '7Gi', 'ephemeral-storage': '100Gi' });
    expect(formatResourceList(podsCgroupLimits({ capacity: { cpu: '1' }, kubeReserved: { cpu: '2' } }))).toEqual({ cpu: '0' });
  });

  it('has the values of its amounts', () => {
    const amounts = podsCgroupLimits({ capacity: { cpu: '2', memory: '1Gi', pid: '1000', 'hugepages-2Mi': '8Mi' } });
    expect(nodeCgroupResources(amounts, { hugePageSizes: ['2MB', '1GB'] })).toEqual({
      cpuShares: 2048,
      memory: 1n << 30n,
      pids: 1000,
      hugePages: { '2MB': 8_388_608n, '1GB': 0n },
    });
    expect(nodeCgroupResources(amounts, { onlyCompressible: true })).toEqual({ cpuShares: 2048 });
  });
});
