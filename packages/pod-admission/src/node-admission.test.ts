import type { Node, Pod } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createNodeAdmission } from './node-admission.js';

const node: Node = { metadata: { name: 'n', labels: { 'kubernetes.io/os': 'linux' } }, status: { allocatable: { cpu: '1', pods: '10' } } };
const podOf = (name: string, cpu: string, spec: object = {}) =>
  buildPod({ name, uid: name, containers: [{ resources: { requests: { cpu }, limits: { cpu } } }], ...spec });

/** What the handlers decide, one after the other. */
async function decide(pod: Pod, otherPods: Pod[], killed: string[] = []) {
  const handlers = createNodeAdmission({
    node: () => node,
    allowedUnsafeSysctls: [],
    activePods: () => otherPods,
    preemptPod: async ({ metadata }) => void killed.push(metadata?.name ?? ''),
  });
  for (const handler of handlers) {
    const result = await handler.admit({ pod, otherPods, operation: 'add' });
    if (!result.admit) return result.reason;
  }
  return 'admitted';
}

it('checks sysctls before the predicates of the scheduler', async () => {
  const sysctl = { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } };
  expect(await decide(podOf('fits', '500m'), [])).toBe('admitted');
  expect(await decide(podOf('big', '2'), [])).toBe('OutOfcpu');
  expect(await decide(podOf('unsafe', '2', sysctl), [])).toBe('SysctlForbidden');
});

it('preempts pods so that a critical pod fits', async () => {
  const killed: string[] = [];
  const critical = podOf('critical', '800m', { priority: 2_000_000_000, priorityClassName: 'system-node-critical' });
  expect(await decide(podOf('plain', '800m'), [podOf('web', '500m')], killed)).toBe('OutOfcpu');
  expect(await decide(critical, [podOf('web', '500m')], killed)).toBe('admitted');
  expect(killed).toEqual(['web']);
});
