import { expect, it } from 'vitest';
import { measureCadvisor } from './measure-cadvisor.js';

type Reader = Parameters<typeof measureCadvisor>[2];

/** The cgroups with a network, of a pod with these cgroups. */
function withNetwork(cgroups: Record<string, string>, pod?: string): string[] {
  const reader: Reader = {
    find: () => ({ pods: new Map(pod === undefined ? [] : [['u', pod]]), containers: new Map(Object.entries(cgroups)) }),
    sample: () => ({}) as ReturnType<Reader['sample']>,
    createdAt: () => undefined,
    processes: (path) => (path === pod ? [] : [path.length]),
    interfaces: (pid) => (pid === undefined ? undefined : []),
  };
  const container = { name: 'main', startTime: '' };
  const containers = [
    { ...container, id: 'c1' },
    { ...container, id: 'c2' },
  ];
  const measured = measureCadvisor(
    [{ podRef: { name: 'web', namespace: 'default', uid: 'u' }, sandboxIds: ['s'], startTime: '', containers }],
    [],
    reader,
  );
  return measured.flatMap(({ labels, interfaces }) => (interfaces === undefined ? [] : [labels.id]));
}

it('shows the network of a pod once: at its sandbox, or without a process there at the pod, or else at its first container', () => {
  const containers = { c1: '/pod/c1', c2: '/pod/c2' };
  expect(withNetwork({ s: '/pod/s', ...containers }, '/pod')).toEqual(['/pod/s']);
  expect(withNetwork(containers, '/pod')).toEqual(['/pod']);
  expect(withNetwork(containers)).toEqual(['/pod/c1']);
  expect(withNetwork({}, '/pod')).toEqual([]);
});
