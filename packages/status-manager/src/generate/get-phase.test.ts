import type { ContainerStatus, Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { aContainer, aPod, aStatus, exited, running, waiting } from '../test-builders.js';
import { getPhase } from './get-phase.js';

const phase = (pod: Pod, containerStatuses: ContainerStatus[], { terminal = false, initialized = false } = {}) =>
  getPhase({ pod, containerStatuses, podIsTerminal: terminal, podHasInitialized: initialized });
const crashing = (exitCode: number) => aStatus('app', { waiting: { reason: 'CrashLoopBackOff' } }, { lastState: exited(exitCode) });
const policy = (restartPolicy: string) => aPod({ restartPolicy });

describe('the phase', () => {
  it('is Pending until every container has run', () => {
    expect(phase(aPod(), [])).toBe('Pending');
    expect(phase(aPod(), [aStatus('app', waiting)])).toBe('Pending');
    expect(phase(aPod(), [aStatus('app', {})])).toBe('Pending');
    const two = aPod({ containers: [aContainer('app'), aContainer('log')] });
    expect(phase(two, [aStatus('app', running), aStatus('log', waiting)])).toBe('Pending');
  });

  it('is Running while a container runs, and while a crashed container waits for its restart', () => {
    expect(phase(aPod(), [aStatus('app', running)])).toBe('Running');
    expect(phase(aPod(), [crashing(1)])).toBe('Running');
    expect(phase(policy('Always'), [aStatus('app', exited(0))])).toBe('Running');
  });

  it('is terminal when no container will restart', () => {
    expect(phase(policy('Never'), [aStatus('app', exited(0))])).toBe('Succeeded');
    expect(phase(policy('Never'), [aStatus('app', exited(1))])).toBe('Failed');
    expect(phase(policy('OnFailure'), [aStatus('app', exited(0))])).toBe('Succeeded');
    expect(phase(policy('OnFailure'), [aStatus('app', exited(1))])).toBe('Running');
    expect(phase(policy('Never'), [crashing(0)])).toBe('Failed');
  });

  it('is terminal when the worker terminated the pod, but not for a static pod', () => {
    expect(phase(policy('Always'), [aStatus('app', exited(0))], { terminal: true })).toBe('Succeeded');
    expect(phase(policy('Always'), [aStatus('app', exited(1))], { terminal: true })).toBe('Failed');
    const fixed = aPod({}, { metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } });
    expect(phase(fixed, [aStatus('app', exited(0))], { terminal: true })).toBe('Running');
  });

  it('returns to Running when all containers restart in place', () => {
    expect(phase(policy('Never'), [aStatus('app', exited(1, 'RestartingAllContainers'))])).toBe('Running');
  });
});

describe('the phase with init containers', () => {
  const pod = aPod({ restartPolicy: 'Never', initContainers: [aContainer('prepare')] });

  it('is Pending until they have completed', () => {
    for (const state of [waiting, running, {}]) expect(phase(pod, [aStatus('prepare', state), aStatus('app', running)])).toBe('Pending');
    expect(phase(pod, [aStatus('prepare', exited(0)), aStatus('app', running)])).toBe('Running');
  });

  it('is Failed when one failed and will not restart, even while it waits', () => {
    expect(phase(pod, [aStatus('prepare', exited(1)), aStatus('app', waiting)])).toBe('Failed');
    expect(phase(pod, [aStatus('prepare', waiting, { lastState: exited(1) }), aStatus('app', waiting)])).toBe('Failed');
    const restarting = { ...pod, spec: { ...pod.spec, containers: [aContainer('app')], restartPolicy: 'OnFailure' } };
    expect(phase(restarting, [aStatus('prepare', exited(1)), aStatus('app', waiting)])).toBe('Pending');
  });
});

describe('the phase with sidecars', () => {
  const pod = aPod({ restartPolicy: 'Never', initContainers: [aContainer('side', { restartPolicy: 'Always' })] });

  it('is Pending until they have started, but not after the pod was initialised', () => {
    const statuses = [aStatus('side', running, { started: false }), aStatus('app', running)];
    expect(phase(pod, statuses)).toBe('Pending');
    expect(phase(pod, statuses, { initialized: true })).toBe('Running');
  });

  it('stays Running while a sidecar runs after the regular containers have completed', () => {
    expect(phase(pod, [aStatus('side', running, { started: true }), aStatus('app', exited(0))])).toBe('Running');
    expect(phase(pod, [aStatus('side', exited(0)), aStatus('app', exited(0))])).toBe('Succeeded');
  });
});
