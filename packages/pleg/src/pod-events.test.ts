import type { RuntimeContainerState } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { computePodEvents, diffPods, plegContainerState, transitionEvents } from './pod-events.js';

type States = Record<string, RuntimeContainerState>;
const list = (states: States) => Object.entries(states).map(([id, state]) => ({ id, state }));
const snapshot = (containers: States, sandboxes: States = {}) => ({
  uid: 'p',
  containers: list(containers),
  sandboxes: list(sandboxes),
});
const brief = (...args: Parameters<typeof computePodEvents>) =>
  computePodEvents(...args).map(({ type, containerId }) => `${type} ${containerId}`);

describe('plegContainerState', () => {
  it('maps created containers to unknown and absent ones to non-existent', () => {
    expect((['created', 'running', 'exited', 'unknown', undefined] as const).map(plegContainerState)).toEqual([
      'unknown',
      'running',
      'exited',
      'unknown',
      'non-existent',
    ]);
  });
});

describe('an unrecognized state', () => {
  it('is refused with the names of the states', () => {
    const listed = (state: string) => [{ uid: 'p', containers: [{ id: 'c', state: state as RuntimeContainerState }] }];
    expect(() => diffPods(listed('CONTAINER_RUNNING'), listed('CONTAINER_EXITED'))).toThrow(
      expect.objectContaining({
        code: 'InvalidOption',
        message: 'unrecognized container state: CONTAINER_RUNNING',
        hint: 'the states are created, running, exited and unknown',
      }),
    );
  });
});

describe('transitionEvents', () => {
  it('sends ContainerDied first for a container that vanished', () => {
    expect(transitionEvents('running', 'non-existent')).toEqual(['ContainerDied', 'ContainerRemoved']);
    expect(transitionEvents('unknown', 'non-existent')).toEqual(['ContainerDied', 'ContainerRemoved']);
    expect(transitionEvents('exited', 'non-existent')).toEqual(['ContainerRemoved']);
  });

  it('returns no events for an unchanged state', () => {
    for (const state of ['running', 'exited', 'unknown', 'non-existent'] as const) expect(transitionEvents(state, state)).toEqual([]);
  });
});

describe('diffPods', () => {
  it('returns the events of changed, vanished and new pods, without sandboxes too', () => {
    const container = (id: string, state: RuntimeContainerState) => ({ uid: `of ${id}`, containers: [{ id, state }] });
    const old = [container('a', 'running'), container('b', 'running'), container('c', 'running')];
    const current = [container('d', 'running'), container('c', 'running'), container('a', 'exited')];
    expect(diffPods(old, current).map(({ podUid, type, containerId }) => `${podUid}: ${type} ${containerId}`)).toEqual([
      'of a: ContainerDied a',
      'of b: ContainerDied b',
      'of b: ContainerRemoved b',
      'of d: ContainerStarted d',
    ]);
  });

  it('takes the last entry of a pod that is listed twice', () => {
    const listed = (state: RuntimeContainerState) => ({ uid: 'p', containers: [{ id: 'c', state }] });
    expect(diffPods([], [listed('created'), listed('running')])).toEqual([{ podUid: 'p', type: 'ContainerStarted', containerId: 'c' }]);
  });
});

describe('computePodEvents', () => {
  it('orders by old containers, old sandboxes, new containers, new sandboxes', () => {
    const old = snapshot({ c1: 'running' }, { s1: 'running' });
    const current = snapshot({ c2: 'running', c1: 'exited' }, { s2: 'running', s1: 'exited' });
    expect(brief(old, current)).toEqual(['ContainerDied c1', 'ContainerDied s1', 'ContainerStarted c2', 'ContainerStarted s2']);
  });

  it('returns the events of a new and of a vanished pod', () => {
    expect(brief(undefined, snapshot({ c: 'created' }))).toEqual(['ContainerChanged c']);
    expect(brief(snapshot({ c: 'exited' }, { s: 'running' }), undefined)).toEqual([
      'ContainerRemoved c',
      'ContainerDied s',
      'ContainerRemoved s',
    ]);
  });

  it('ignores another order, a duplicate, and a created container that becomes unknown', () => {
    expect(brief(snapshot({ a: 'running', b: 'exited' }), snapshot({ b: 'exited', a: 'running' }))).toEqual([]);
    const twice = { uid: 'p', containers: [...list({ a: 'running' }), ...list({ a: 'exited' })], sandboxes: [] };
    expect(brief(snapshot({ a: 'running' }), twice)).toEqual([]);
    expect(brief(snapshot({ a: 'created' }), snapshot({ a: 'unknown' }))).toEqual([]);
  });

  it('returns undefined for an unchanged pod', () => {
    const [one, other] = [snapshot({ c: 'running' }), snapshot({ c: 'running' })];
    expect(computePodEvents(one, other)).toBe(computePodEvents(other, one));
  });
});
