import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { podCgroupConfig } from './pod-cgroup-config.js';

const limits = { cpu: '500m', memory: '64Mi' };

it('limits a pod by its QoS class', () => {
  const guaranteed = buildPod({ name: 'g', containers: [{ resources: { limits } }] });
  expect(podCgroupConfig(guaranteed)).toEqual({ cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 67_108_864n });
  expect(podCgroupConfig(guaranteed, { enforceCpuLimits: false }).cpuQuota).toBe(-1);
  expect(podCgroupConfig(buildPod({ name: 'b' }))).toEqual({ cpuShares: 2 });
});

it('limits a burstable pod by the limits that all its containers declare', () => {
  const partly = buildPod({ name: 'p', containers: [{ resources: { limits } }, { resources: { limits: { memory: '1Mi' } } }] });
  expect(podCgroupConfig(partly)).toEqual({ cpuShares: 512, memory: 68_157_440n });
  const podLevel = buildPod({ name: 'l', resources: { limits: { cpu: '1' } }, containers: [{}] });
  expect(podCgroupConfig(podLevel)).toMatchObject({ cpuQuota: 100_000 });
  const sidecars = buildPod({
    name: 's',
    containers: [{ resources: { limits: { cpu: '1' } } }],
    initContainers: [{ name: 'a', restartPolicy: 'Always', resources: { limits: { cpu: '1' } } }, { name: 'b' }],
  });
  expect(podCgroupConfig(sidecars).cpuQuota).toBe(200_000);
});
