import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createPodCgroupParent, podCgroupParent } from './cgroup-parent.js';

const pod = (limits: Record<string, string>) => buildPod({ name: 'p', uid: 'a-b', containers: [{ resources: { limits } }] });

it.each([
  [{}, 'cgroupfs', '/kubepods/besteffort/poda-b'],
  [{ cpu: '1' }, 'cgroupfs', '/kubepods/burstable/poda-b'],
  [{ cpu: '1', memory: '1Gi' }, 'cgroupfs', '/kubepods/poda-b'],
  [{ cpu: '1' }, 'systemd', 'kubepods-burstable-poda_b.slice'],
  [{ cpu: '1', memory: '1Gi' }, 'systemd', 'kubepods-poda_b.slice'],
] as const)('of a pod with limits %j under %s is %s', (limits, driver, parent) => {
  expect(podCgroupParent(pod(limits), driver)).toBe(parent);
  expect(createPodCgroupParent(driver)(pod(limits))).toBe(parent);
});

it('rejects an unknown cgroup driver', () => {
  expect(() => createPodCgroupParent('none' as never)).toThrow('cgroupDriver must be cgroupfs or systemd, got "none"');
});
