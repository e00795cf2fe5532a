import type { ContainerRestartRule, RuntimeContainerStatus } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { computePodActions } from './compute-pod-actions.js';

const sandbox = { id: 's', attempt: 0, state: 'ready', createdAt: 1n, networkMode: 'POD', runtimeHandler: '' } as const;

/** What follows when the second of two init containers has ended. */
function decide(end: { exitCode: number; reason: string }, policy: string, rules: ContainerRestartRule[]) {
  const pod = buildPod({
    name: 'p',
    restartPolicy: 'Never',
    initContainers: [{ name: 'first' }, { name: 'init', restartPolicy: policy, restartPolicyRules: rules }],
  });
  const ended = (name: string, more: Partial<RuntimeContainerStatus>): RuntimeContainerStatus => ({
    ...{ id: name, name, state: 'exited', createdAt: 1n, exitCode: 0, image: '', imageId: '', imageRef: '', hash: '' },
    ...{ restartCount: 0, reason: 'Completed', message: '', podSandboxId: 's', ...more },
  });
  const { killPod, initContainersToStart } = computePodActions({
    pod,
    status: {
      sandboxStatuses: [{ ...sandbox, network: { ip: '10.0.0.1', additionalIps: [] } }],
      containerStatuses: [ended('init', end), ended('first', {})],
    },
    probeResults: { liveness: () => undefined, startup: () => undefined },
    actuated: new Map(),
  });
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
