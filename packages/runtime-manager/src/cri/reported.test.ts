import type { RuntimeChange } from '@nodeagent/api';
import { expect, it } from 'vitest';
import type { CriRuntime } from './methods.js';
import { reportedCri } from './reported.js';

function setUp(calls: Partial<Record<keyof CriRuntime, () => Promise<object>>>) {
  const reports: (RuntimeChange | string)[] = [];
  const cri = Object.fromEntries(
    Object.entries(calls).map(([name, answer]) => [
      name,
      () => {
        reports.push(name);
        return answer();
      },
    ]),
  ) as unknown as CriRuntime;
  return { reports, cri: reportedCri(cri, (change) => reports.push(change)) };
}

const fails = () => Promise.reject(new Error('no answer'));
const metadata = { name: 'p', namespace: 'ns', uid: 'u', attempt: 0 };

it('reports what a call has created, with its pod and sandbox', async () => {
  const { cri, reports } = setUp({
    runPodSandbox: async () => ({ podSandboxId: 's' }),
    createContainer: async () => ({ containerId: 'c' }),
  });
  await cri.runPodSandbox({ config: { metadata } });
  await cri.createContainer({ podSandboxId: 's', sandboxConfig: { metadata } });
  expect(reports).toEqual([
    'runPodSandbox',
    { podUid: 'u', id: 's', podSandboxId: 's' },
    'createContainer',
    { podUid: 'u', id: 'c', podSandboxId: 's' },
  ]);
});

it('reports the pod alone if it is unknown what a failed call has created', async () => {
  const { cri, reports } = setUp({ runPodSandbox: fails, createContainer: fails });
  await expect(cri.runPodSandbox({ config: { metadata } })).rejects.toThrow('no answer');
  await expect(cri.createContainer({ podSandboxId: 's', sandboxConfig: { metadata } })).rejects.toThrow('no answer');
  expect(reports).toEqual(['runPodSandbox', { podUid: 'u' }, 'createContainer', { podUid: 'u' }]);
});

it('reports starts and stops before and after the call, also if it fails', async () => {
  const { cri, reports } = setUp({ startContainer: async () => ({}), stopContainer: fails, stopPodSandbox: async () => ({}) });
  await cri.startContainer({ containerId: 'c' });
  await expect(cri.stopContainer({ containerId: 'c' })).rejects.toThrow('no answer');
  await cri.stopPodSandbox({ podSandboxId: 's' });
  const [c, s] = [{ id: 'c' }, { id: 's', podSandboxId: 's' }];
  expect(reports).toEqual([c, 'startContainer', c, c, 'stopContainer', c, s, 'stopPodSandbox', s]);
});

it('reports a removal only once the runtime has confirmed it', async () => {
  const { cri, reports } = setUp({ removeContainer: async () => ({}), removePodSandbox: fails });
  await cri.removeContainer({ containerId: 'c' });
  await expect(cri.removePodSandbox({ podSandboxId: 's' })).rejects.toThrow('no answer');
  expect(reports).toEqual(['removeContainer', { id: 'c', removed: true }, 'removePodSandbox']);
});
