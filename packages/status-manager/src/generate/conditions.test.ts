import type { ContainerStatus, Pod, PodStatus } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { aContainer, anInstance, aPod, aStatus, exited, readySandbox, running, waiting } from '../test-builders.js';
import {
  generateAllContainersRestartingCondition,
  generatePodInitializedCondition,
  generatePodReadyToStartContainersCondition,
} from './pod-conditions.js';
import { generateContainersReadyCondition, generatePodReadyCondition, needToReconcilePodReadiness } from './ready-conditions.js';

const ready = (name: string) => aStatus(name, running, { ready: true, started: true });
const two = aPod({ containers: [aContainer('a'), aContainer('b')] });

describe('ContainersReady', () => {
  const condition = (pod: Pod, containerStatuses: ContainerStatus[] | undefined, phase = 'Running') =>
    generateContainersReadyCondition({ pod, containerStatuses, phase });

  it('names the containers with unknown and with unready status', () => {
    expect(condition(two, [ready('a'), ready('b')])).toEqual({ type: 'ContainersReady', status: 'True', observedGeneration: 1 });
    expect(condition(two, [aStatus('b', running)]).message).toBe(
      'containers with unknown status: [a], containers with unready status: [b]',
    );
    expect(condition(two, [aStatus('a', running), aStatus('b', running)]).message).toBe('containers with unready status: [a b]');
    expect(condition(two, undefined)).toMatchObject({ status: 'False', reason: 'UnknownContainerStatuses' });
  });

  it('counts sidecars but not other init containers', () => {
    const pod = aPod({ initContainers: [aContainer('prepare'), aContainer('side', { restartPolicy: 'Always' })] });
    expect(condition(pod, [ready('app')]).message).toBe('containers with unknown status: [side]');
  });

  it('is False with the phase as reason once the pod is terminal', () => {
    expect(condition(two, [], 'Failed')).toMatchObject({ status: 'False', reason: 'PodFailed' });
    expect(condition(two, [ready('a'), ready('b')], 'Succeeded')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
    expect(condition(two, [], 'Succeeded').reason).toBe('ContainersNotReady');
  });
});

describe('Ready', () => {
  const gated = aPod({ readinessGates: [{ conditionType: 'g/a' }, { conditionType: 'g/b' }] });
  const condition = (conditions: { type: string; status: string }[], containerStatuses = [ready('app')]) =>
    generatePodReadyCondition({ pod: gated, containerStatuses, phase: 'Running', conditions });

  it('requires ready containers first, then the readiness gates', () => {
    expect(condition([{ type: 'g/b', status: 'False' }])).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message:
        'corresponding condition of pod readiness gate "g/a" does not exist., ' +
        'the status of pod readiness gate "g/b" is not "True", but False',
    });
    const open = ['g/a', 'g/b'].map((type) => ({ type, status: 'True' }));
    expect(condition(open).status).toBe('True');
    expect(condition(open, [aStatus('app', running)])).toMatchObject({ type: 'Ready', status: 'False', reason: 'ContainersNotReady' });
  });

  it('must be written again when a gate changes at the API server', () => {
    const shown = (status: string, message?: string): Pod => ({
      ...gated,
      status: {
        phase: 'Running',
        containerStatuses: [ready('app')],
        conditions: [
          { type: 'g/a', status: 'True' },
          { type: 'g/b', status: 'True' },
          { type: 'Ready', status, ...(message && { message }) },
        ],
      },
    });
    expect(needToReconcilePodReadiness(shown('False'))).toBe(true);
    expect(needToReconcilePodReadiness(shown('True', 'old'))).toBe(true);
    expect(needToReconcilePodReadiness(shown('True'))).toBe(false);
    expect(needToReconcilePodReadiness({ ...gated, status: { conditions: [] } })).toBe(false);
    expect(needToReconcilePodReadiness({ ...shown('False'), spec: aPod().spec ?? { containers: [] } })).toBe(false);
  });
});

describe('Initialized', () => {
  const pod = aPod({ initContainers: [aContainer('prepare'), aContainer('side', { restartPolicy: 'Always' })] });
  const condition = (containerStatuses: ContainerStatus[] | undefined, more: { phase?: string; oldStatus?: PodStatus } = {}) =>
    generatePodInitializedCondition({ pod, containerStatuses, phase: 'Pending', ...more });

  it('requires ready init containers and started sidecars', () => {
    expect(condition([ready('prepare'), aStatus('side', running, { ready: true })]).message).toBe(
      'containers with incomplete status: [side]',
    );
    expect(condition([ready('prepare'), aStatus('side', running, { started: true })]).status).toBe('True');
    expect(condition([])).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with unknown status: [prepare side]',
    });
    expect(condition(undefined).reason).toBe('UnknownContainerStatuses');
  });

  it('stays true if regular containers have run or the previous status has it true', () => {
    expect(condition([aStatus('app', exited(1))]).status).toBe('True');
    expect(condition([aStatus('app', waiting)]).status).toBe('False');
    expect(condition([], { oldStatus: { conditions: [{ type: 'Initialized', status: 'True' }] } }).status).toBe('True');
    const all = [ready('prepare'), ready('side'), ready('app')];
    expect(condition(all, { phase: 'Succeeded' })).toMatchObject({ status: 'True', reason: 'PodCompleted' });
  });

  it('is true without init containers, even without container statuses', () => {
    expect(generatePodInitializedCondition({ pod: aPod(), containerStatuses: undefined, phase: 'Pending' }).status).toBe('True');
  });
});

describe('PodReadyToStartContainers', () => {
  const status = (sandboxStatuses: (typeof readySandbox)[], pod = aPod()) =>
    generatePodReadyToStartContainersCondition(pod, { sandboxStatuses }).status;
  const stopped = { ...readySandbox, state: 'notReady' } as const;

  it('requires exactly one ready sandbox, the newest, with the network of the pod’s spec', () => {
    expect(status([readySandbox])).toBe('True');
    expect(status([readySandbox, stopped])).toBe('True');
    expect(status([])).toBe('False');
    expect(status([stopped, readySandbox])).toBe('False');
    expect(status([readySandbox, readySandbox])).toBe('False');
    expect(status([{ ...readySandbox, network: { ip: '', additionalIps: [] } }])).toBe('False');
    const host = aPod({ hostNetwork: true });
    expect(status([readySandbox], host)).toBe('False');
    expect(status([{ ...readySandbox, networkMode: 'NODE', network: { ip: '', additionalIps: [] } }], host)).toBe('True');
  });
});

describe('AllContainersRestarting', () => {
  const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } };
  const pod = aPod({ containers: [aContainer('app', { restartPolicy: 'Never', restartPolicyRules: [rule] })] });
  const condition = (
    runtimeStatuses: ReturnType<typeof anInstance>[],
    { phase = 'Running', oldStatus = {} }: { phase?: string; oldStatus?: PodStatus } = {},
  ) => generateAllContainersRestartingCondition({ pod, runtimeStatuses, oldStatus, phase });

  it('is true from the exit that triggers the restart until no instance exists', () => {
    const exit = [anInstance('app', 'exited', { exitCode: 42 })];
    expect(condition(exit)).toEqual({
      type: 'AllContainersRestarting',
      status: 'True',
      reason: 'RestartAllContainersStarted',
      message: 'container exited with restart policy rule',
    });
    expect(condition([anInstance('app', 'exited', { exitCode: 1 })]).status).toBe('False');
    const oldStatus = { conditions: [{ type: 'AllContainersRestarting', status: 'True' }] };
    expect(condition([anInstance('app', 'running')], { oldStatus }).status).toBe('True');
    expect(condition([], { oldStatus }).status).toBe('False');
    expect(condition(exit, { phase: 'Failed' })).toMatchObject({ status: 'False', reason: 'PodFailed' });
  });

  it('counts an earlier exit of a container that has exited again, but not of one that runs again', () => {
    const oldStatus = { containerStatuses: [aStatus('app', exited(42))] };
    expect(condition([anInstance('app', 'exited', { exitCode: 1 })], { oldStatus }).status).toBe('True');
    expect(condition([anInstance('app', 'running')], { oldStatus }).status).toBe('False');
  });
});
