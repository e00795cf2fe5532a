import type { ContainerState, PodSpec } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { statusManagerErrorCodes } from '../errors.js';
import { aContainer, aPod, aStatus, exited, running, waiting } from '../test-builders.js';
import { checkContainerStateTransition } from './state-transition.js';
import { canBeDeleted, needsReconcile } from './sync-decisions.js';
import { terminatePodStatus } from './terminate.js';
import { updateLastTransitionTimes } from './transition-time.js';

describe('a terminated container', () => {
  const check = (spec: Partial<PodSpec>, exitCode: number, now: ContainerState = running) =>
    checkContainerStateTransition(
      { containerStatuses: [aStatus('app', exited(exitCode))] },
      { containerStatuses: [aStatus('app', now)] },
      { containers: [aContainer('app')], ...spec },
    );

  it('must not run again if no policy restarts it', () => {
    expect(check({ restartPolicy: 'Never' }, 0)).toMatchObject({
      code: statusManagerErrorCodes.illegalTransition,
      message: 'terminated container app attempted illegal transition to non-terminated state',
    });
    expect(check({ restartPolicy: 'OnFailure' }, 0)).toBeDefined();
    expect(check({ restartPolicy: 'Never' }, 0, exited(1))).toBeUndefined();
  });

  it('may run again if its policy, the pod’s policy or a rule restarts it', () => {
    const rule = (action: string) => ({ action, exitCodes: { operator: 'In', values: [42] } });
    const ruled = (action: string) => ({
      restartPolicy: 'Never',
      containers: [aContainer('app', { restartPolicy: 'Never', restartPolicyRules: [rule(action)] })],
    });
    expect(check({ restartPolicy: 'Always' }, 0)).toBeUndefined();
    expect(check({}, 0)).toBeUndefined();
    expect(check({ restartPolicy: 'OnFailure' }, 1)).toBeUndefined();
    expect(check(ruled('Restart'), 42)).toBeUndefined();
    expect(check(ruled('Restart'), 1)).toBeDefined();
    expect(check(ruled('RestartAllContainers'), 1)).toBeUndefined();
  });

  it('is checked among init containers too, except sidecars, and must be at its position in the spec', () => {
    const spec = {
      restartPolicy: 'Never',
      containers: [],
      initContainers: [aContainer('i'), aContainer('s', { restartPolicy: 'Always' })],
    };
    const check = (names: string[]) =>
      checkContainerStateTransition(
        { initContainerStatuses: names.map((name) => aStatus(name, exited(0))) },
        { initContainerStatuses: names.map((name) => aStatus(name, name === 's' ? running : exited(0))) },
        spec,
      )?.message;
    expect(check(['i', 's'])).toBeUndefined();
    expect(check(['s'])).toBe('found mismatch between pod spec and status, container: s');
    expect(
      checkContainerStateTransition(
        { initContainerStatuses: [aStatus('i', exited(0))] },
        { initContainerStatuses: [aStatus('i', running)] },
        spec,
      )?.message,
    ).toBe('terminated init container i attempted illegal transition to non-terminated state');
  });
});

describe('transition times', () => {
  it('change only when the status of a condition of the kubelet changes, not with the reason', () => {
    const before = '2025-01-01T00:00:00Z';
    const old = {
      conditions: [
        { type: 'Ready', status: 'False', reason: 'A', lastTransitionTime: before },
        { type: 'Initialized', status: 'False', lastTransitionTime: before },
      ],
    };
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'B' },
      { type: 'Initialized', status: 'True' },
      { type: 'PodScheduled', status: 'True' },
      { type: 'custom', status: 'True' },
    ];
    const times = updateLastTransitionTimes(conditions, old, 'now').map(({ lastTransitionTime }) => lastTransitionTime);
    expect(times).toEqual([before, 'now', 'now', undefined]);
  });
});

describe('a pod whose containers were removed', () => {
  const lost = { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown', message: expect.any(String) } };

  it('terminates as Failed: containers that ran without a known exit get exit code 137', () => {
    const status = { phase: 'Running', containerStatuses: [aStatus('a', running), aStatus('b', exited(0))] };
    expect(terminatePodStatus(aPod(), status)).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: lost }, { state: exited(0) }],
    });
    expect(terminatePodStatus(aPod(), { ...status, phase: 'Succeeded' }).phase).toBe('Succeeded');
    const fixed = aPod({}, { metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } });
    expect(terminatePodStatus(fixed, status).phase).toBe('Running');
  });

  it('keeps the state of containers that never started, except the first init container', () => {
    const inits = ['i', 'j', 'k'].map((name) => aContainer(name));
    const terminate = (second: Parameters<typeof aStatus>[1]) =>
      terminatePodStatus(aPod({ initContainers: inits }), {
        initContainerStatuses: [aStatus('i', waiting), aStatus('j', second), aStatus('k', waiting)],
        containerStatuses: [aStatus('app', waiting)],
      });
    const states = (second: Parameters<typeof aStatus>[1]) =>
      terminate(second).initContainerStatuses?.map(({ state }) => state?.terminated !== undefined);
    expect(states(waiting)).toEqual([true, false, false]);
    expect(states(running)).toEqual([true, true, false]);
    expect(terminate(running).containerStatuses?.[0]?.state).toEqual(waiting);
  });

  it('is initialised if the status in the API server shows it', () => {
    const initContainers = [aContainer('i')];
    const ended = (status: NonNullable<Parameters<typeof aPod>[1]>['status']) =>
      terminatePodStatus(aPod({ initContainers }, { ...(status && { status }) }), { containerStatuses: [aStatus('app', waiting)] })
        .containerStatuses?.[0]?.state?.terminated !== undefined;
    expect(ended({ containerStatuses: [aStatus('app', waiting)] })).toBe(false);
    expect(ended({ containerStatuses: [aStatus('app', waiting, { lastState: exited(1) })] })).toBe(true);
    expect(ended({ initContainerStatuses: [aStatus('i', exited(0))] })).toBe(true);
    expect(ended({ initContainerStatuses: [aStatus('i', exited(1))] })).toBe(false);
    expect(ended({ initContainerStatuses: [aStatus('other', exited(0))] })).toBe(false);
    const side = aPod(
      { initContainers: [aContainer('s', { restartPolicy: 'Always' })] },
      { status: { initContainerStatuses: [aStatus('s', running, { started: true })] } },
    );
    expect(terminatePodStatus(side, { containerStatuses: [aStatus('app', waiting)] }).containerStatuses?.[0]?.state).toEqual(lost);
  });
});

describe('writing to the API server', () => {
  it('is due again when its status differs in meaning, not only in form', () => {
    const status = { startTime: '2026-01-01T00:00:00Z', conditions: [{ type: 'Ready', status: 'True' }] };
    const shows = (shown: typeof status) => needsReconcile({ ...aPod(), status: shown }, status);
    expect(shows({ ...status, startTime: '2026-01-01T00:00:00.4Z' })).toBe(false);
    expect(shows({ ...status, conditions: [{ type: 'Ready', status: 'False' }] })).toBe(true);
  });

  it('ends with the deletion of a pod that is being deleted, is terminal there and finished here', () => {
    const deleted = aPod({}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(canBeDeleted(deleted, { phase: 'Failed' }, true)).toBe(true);
    expect(canBeDeleted(aPod(), { phase: 'Failed' }, true)).toBe(false);
    expect(canBeDeleted(deleted, { phase: 'Running' }, true)).toBe(false);
    expect(canBeDeleted(deleted, { phase: 'Failed' }, false)).toBe(false);
    const mirror = { ...deleted, metadata: { ...deleted.metadata, annotations: { 'kubernetes.io/config.mirror': 'h' } } };
    expect(canBeDeleted(mirror, { phase: 'Failed' }, true)).toBe(false);
  });
});
