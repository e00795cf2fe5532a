import type { Pod } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import type { MemoryReservationPolicy } from './memory-reservation.js';
import { podCgroupResources } from './pod-resources.js';

const limits = { cpu: '500m', memory: '64Mi' };

it('limits a pod by its QoS class', () => {
  const guaranteed = buildPod({ name: 'g', containers: [{ resources: { limits } }] });
  expect(podCgroupResources(guaranteed)).toEqual({ cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 67_108_864n });
  expect(podCgroupResources(guaranteed, { enforceCpuLimits: false }).cpuQuota).toBe(-1);
  expect(podCgroupResources(buildPod({ name: 'b' }))).toEqual({ cpuShares: 2 });
});

it('limits a burstable pod by the limits that all its containers declare', () => {
  const partly = buildPod({ name: 'p', containers: [{ resources: { limits } }, { resources: { limits: { memory: '1Mi' } } }] });
  expect(podCgroupResources(partly)).toEqual({ cpuShares: 512, memory: 68_157_440n });
  const podLevel = buildPod({ name: 'l', resources: { limits: { cpu: '1' } }, containers: [{}] });
  expect(podCgroupResources(podLevel)).toMatchObject({ cpuQuota: 100_000 });
  const sidecars = buildPod({
    name: 's',
    containers: [{ resources: { limits: { cpu: '1' } } }],
    initContainers: [{ name: 'a', restartPolicy: 'Always', resources: { limits: { cpu: '1' } } }, { name: 'b' }],
  });
  expect(podCgroupResources(sidecars).cpuQuota).toBe(200_000);
});

it('limits processes, and huge pages of each size of the machine by the requests', () => {
  const resources = { requests: { cpu: '1', memory: '1Gi', 'hugepages-2Mi': '4Mi' }, limits: { memory: '1Gi', 'hugepages-2Mi': '4Mi' } };
  const pod = buildPod({ name: 'h', containers: [{ resources }] });
  expect(podCgroupResources(pod, { podPidsLimit: 100, hugePageSizes: ['2MB', '1GB'] })).toMatchObject({
    pids: 100,
    hugePages: { '2MB': 4_194_304n, '1GB': 0n },
  });
  expect(podCgroupResources(pod, { podPidsLimit: -1 })).not.toHaveProperty('pids');
});

it('keeps requested memory from reclaim by the QoS class, for MemoryQoS', () => {
  const guaranteed = buildPod({ name: 'g', containers: [{ resources: { limits } }] });
  const burstable = buildPod({ name: 'b', containers: [{ resources: { requests: { memory: '32Mi' }, limits } }] });
  const bestEffort = buildPod({ name: 'n' });
  const unified = (pod: Pod, memoryReservationPolicy?: MemoryReservationPolicy) =>
    podCgroupResources(pod, memoryReservationPolicy && { memoryReservationPolicy }).unified;
  expect(unified(guaranteed, 'TieredReservation')).toEqual({ 'memory.min': '67108864', 'memory.low': '0' });
  expect(unified(burstable, 'TieredReservation')).toEqual({ 'memory.min': '0', 'memory.low': '33554432' });
  expect(unified(burstable, 'None')).toEqual({ 'memory.min': '0', 'memory.low': '0' });
  expect([unified(bestEffort, 'TieredReservation'), unified(burstable)]).toEqual([undefined, undefined]);
});
