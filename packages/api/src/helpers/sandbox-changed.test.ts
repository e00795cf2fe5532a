import { describe, expect, it } from 'vitest';
import type { RuntimeSandboxStatus } from '../contracts/runtime.js';
import type { Pod } from '../objects/pod.js';
import { podSandboxChanged } from './sandbox-changed.js';

const sandbox = (changes: Partial<RuntimeSandboxStatus> = {}): RuntimeSandboxStatus => ({
  id: 's1',
  attempt: 1,
  state: 'ready',
  createdAt: 0n,
  networkMode: 'POD',
  network: { ip: '10.0.0.1', additionalIps: [] },
  runtimeHandler: '',
  ...changes,
});
const pod: Pod = { spec: { containers: [] } };
const hostPod: Pod = { spec: { containers: [], hostNetwork: true } };

describe('podSandboxChanged', () => {
  it('keeps the sandbox that the pod needs', () => {
    const kept = { changed: false, attempt: 1, sandboxId: 's1', reason: '' };
    expect(podSandboxChanged(pod, { sandboxStatuses: [sandbox(), sandbox({ id: 's0', attempt: 0, state: 'notReady' })] })).toEqual(kept);
    expect(
      podSandboxChanged(hostPod, { sandboxStatuses: [sandbox({ networkMode: 'NODE', network: { ip: '', additionalIps: [] } })] }),
    ).toEqual(kept);
    const { network: _, ...withoutNetwork } = sandbox();
    expect(podSandboxChanged(pod, { sandboxStatuses: [withoutNetwork] })).toEqual(kept);
  });

  it.each<[string, Pod, RuntimeSandboxStatus[], number, string, string]>([
    ['there is none', pod, [], 0, '', 'the pod has no sandbox'],
    ['two are ready', pod, [sandbox(), sandbox({ id: 's0', attempt: 0 })], 2, 's1', 'more than one sandbox is ready'],
    ['it is not ready', pod, [sandbox({ state: 'notReady' }), sandbox({ id: 's0', attempt: 0 })], 2, 's1', 'the sandbox is not ready'],
    ['its network is another', hostPod, [sandbox()], 2, '', 'the sandbox has another network namespace'],
    ['it has no address', pod, [sandbox({ network: { ip: '', additionalIps: [] } })], 2, 's1', 'the sandbox has no IP address'],
  ])('asks for another when %s', (_, of, sandboxStatuses, attempt, sandboxId, reason) => {
    expect(podSandboxChanged(of, { sandboxStatuses })).toEqual({ changed: true, attempt, sandboxId, reason });
  });
});
