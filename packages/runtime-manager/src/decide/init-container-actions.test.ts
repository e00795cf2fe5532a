import type { ContainerRestartRule, Pod, RuntimeContainerStatus } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { computePodActions } from './compute-pod-actions.js';

const sandbox = { id: 's', attempt: 0, state: 'ready', createdAt: 1n, networkMode: 'POD', runtimeHandler: '' } as const;

const instance = (name: string, more: Partial<RuntimeContainerStatus>): RuntimeContainerStatus => ({
  ...{ id: name, name, state: 'exited', createdAt: 1n, exitCode: 0, image: '', imageId: '', imageRef: '', hash: '' },
  ...{ restartCount: 0, reason: 'Completed', message: '', podSandboxId: 's', ...more },
});

const actionsOf = (pod: Pod, containerStatuses: RuntimeContainerStatus[]) =>
  computePodActions({
    pod,
    status: { sandboxStatuses: [{ ...sandbox, network: { ip: '10.0.0.1', additionalIps: [] } }], containerStatuses },
    probeResults: { liveness: () => undefined, startup: () => undefined },
    actuated: new Map(),
  });

/** What follows when the second of two init containers has ended. */
function decide(end: { exitCode: number; reason: string }, policy: string, rules: ContainerRestartRule[]) {
  const pod = buildPod({
    name: 'p',
    restartPolicy: 'Never',
    initContainers: [{ name: 'first' }, { name: 'init', restartPolicy: policy, restartPolicyRules: rules }],
  });
  const { killPod, initContainersToStart } = actionsOf(pod, [instance('init', end), instance('first', {})]);
  return { killPod, initContainersToStart };
}

const rule = (action: string): ContainerRestartRule[] => [{ action, exitCodes: { operator: 'In', values: [42] } }];
const failed = (exitCode: number) => ({ exitCode, reason: 'Error' });
const [again, podEnds] = [
  { killPod: false, initContainersToStart: [1] },
  { killPod: true, initContainersToStart: [] },
];

it.each([
  ['Never', 'Restart', failed(42), again],
  ['Never', 'RestartAllContainers', failed(42), again],
  ['Never', 'RestartAllContainers', failed(1), podEnds],
  ['OnFailure', 'RestartAllContainers', failed(1), again],
  ['OnFailure', 'Restart', { exitCode: 0, reason: 'OOMKilled' }, again],
])('an init container of policy %s with a rule %s for 42 that exited with %o', (policy, action, end, expected) => {
  expect(decide(end, policy, rule(action))).toEqual(expected);
});

describe('in a new sandbox', () => {
  const pod = buildPod({ name: 'p', initContainers: ['i1', 'side', 'i2'].map(initContainer), containers: [{ name: 'main' }] });
  const runningFirst = instance('i1', { state: 'running' });

  it.each<[string, RuntimeContainerStatus]>([
    ['a regular container that was created and never started', instance('main', { state: 'created', podSandboxId: 'old' })],
    ['a regular container in an unknown state', instance('main', { state: 'unknown', podSandboxId: 'old' })],
    ['an init container that has succeeded', instance('i2', { podSandboxId: 'old' })],
    ['a sidecar that has exited', instance('side', { podSandboxId: 'old' })],
  ])('the init containers run again beside %s in the previous one', (_what, left) => {
    expect(actionsOf(pod, [left])).toMatchObject({ initContainersToStart: [0], containersToStart: [], killPod: false });
    expect(actionsOf(pod, [runningFirst, left])).toMatchObject({ initContainersToStart: [], containersToStart: [], containersToKill: [] });
    expect(actionsOf(pod, [instance('i1', {}), left])).toMatchObject({ initContainersToStart: [1], containersToStart: [] });
  });

  it('containers whose sandbox the runtime does not report count as its own', () => {
    const created = instance('main', { state: 'created', podSandboxId: '' });
    expect(actionsOf(pod, [created]).containersToStart).toEqual([0]);
  });
});

function initContainer(name: string) {
  return { name, ...(name === 'side' && { restartPolicy: 'Always' }) };
}
