import { formatResourceList } from '@nodeagent/api/helpers';
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
    expect(qosCgroupResources(pods)).toEqual({ all: {}, burstable: { cpuShares: 1536 }, besteffort: { cpuShares: 2 } });
  });

  it('gives the minimum without pods, and does not limit huge pages', () => {
    expect(qosCgroupResources([], { hugePageSizes: ['2MB'] })).toEqual({
      all: {},
      burstable: { cpuShares: 2, hugePages: { '2MB': 1n << 62n } },
      besteffort: { cpuShares: 2, hugePages: { '2MB': 1n << 62n } },
    });
  });
});

describe('memory of QoS classes', () => {
  const gi = 1n << 30n;
  const withMemory = (name: string, requests: string, limits: string) =>
    buildPod({
      name,
      containers: [{ resources: { requests: { cpu: '1', memory: requests }, limits: { cpu: '1', memory: limits } } }],
    });
  const pods = [withMemory('g', '2Gi', '2Gi'), withMemory('b', '1Gi', '4Gi'), withMemory('c', '1Gi', '2Gi'), buildPod({ name: 'none' })];

  it('keeps requests from reclaim by tiers', () => {
    expect(qosCgroupResources(pods, { memoryReservationPolicy: 'TieredReservation' })).toEqual({
      all: { unified: { 'memory.min': `${2n * gi}`, 'memory.low': '0' } },
      burstable: { cpuShares: 2048, unified: { 'memory.min': '0', 'memory.low': `${2n * gi}` } },
      besteffort: { cpuShares: 2 },
    });
    const none = { unified: { 'memory.min': '0', 'memory.low': '0' } };
    expect(qosCgroupResources(pods, { memoryReservationPolicy: 'None' })).toMatchObject({ all: none, burstable: none });
  });

  it.each([
    { percent: 100, burstable: 6n * gi, besteffort: 4n * gi },
    { percent: 50, burstable: 7n * gi, besteffort: 6n * gi },
  ])('leaves lower classes what $percent % of requests leave', ({ percent, burstable, besteffort }) => {
    expect(qosCgroupResources(pods, { reservedMemory: { percent, allocatableBytes: 8n * gi } })).toEqual({
      all: {},
      burstable: { cpuShares: 2048, memory: burstable },
      besteffort: { cpuShares: 2, memory: besteffort },
    });
  });

  it('leaves a byte where requests exceed what pods may use: 0 would be no limit', () => {
    const { burstable, besteffort } = qosCgroupResources(pods, { reservedMemory: { percent: 100, allocatableBytes: gi } });
    expect([burstable.memory, besteffort.memory]).toEqual([1n, 1n]);
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
