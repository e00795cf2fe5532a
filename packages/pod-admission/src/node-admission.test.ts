import type { Node, Pod } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createNodeAdmission, type NodeAdmissionOptions } from './node-admission.js';

const node: Node = { metadata: { name: 'n', labels: { 'kubernetes.io/os': 'linux' } }, status: { allocatable: { cpu: '1', pods: '10' } } };
const podOf = (name: string, cpu: string, spec: object = {}) =>
  buildPod({ name, uid: name, containers: [{ resources: { requests: { cpu }, limits: { cpu } } }], ...spec });

/** What the handlers decide, one after the other. */
async function decide(pod: Pod, otherPods: Pod[], killed: string[] = [], options: Partial<NodeAdmissionOptions> = {}) {
  const handlers = createNodeAdmission({
    node: () => node,
    allowedUnsafeSysctls: [],
    preemptPod: async ({ metadata }) => void killed.push(metadata?.name ?? ''),
    ...options,
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

it('offers no fewer devices than are in use to a pod that has its devices', async () => {
  const resource = 'example.com/gpu';
  const node: Node = { metadata: { name: 'n' }, status: { allocatable: { cpu: '1', pods: '10', [resource]: '0' } } };
  const [pod, other] = ['a', 'b'].map((name) =>
    buildPod({ name, uid: name, containers: [{ resources: { limits: { [resource]: '1' } } }] }),
  );
  if (pod === undefined || other === undefined) throw new Error('two pods are needed');
  const devicesInUse = (uid: string): Record<string, number> => (uid === 'a' ? { [resource]: 2 } : {});
  expect(await decide(pod, [other], [], { node: () => node, devicesInUse })).toBe('admitted');
  expect(await decide(other, [pod], [], { node: () => node, devicesInUse })).toBe(`OutOf${resource}`);
  expect(await decide(pod, [other, other], [], { node: () => node, devicesInUse })).toBe(`OutOf${resource}`);
});
