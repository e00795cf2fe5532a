import type { NodeCondition } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { aggregateMessage, readinessProblems, setPressureCondition, setReadyCondition } from './conditions.js';
import { networkErrors, runtimeErrors } from './runtime-health.js';

const [t0, t1] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:10Z'];

describe('conditions', () => {
  it('of pressure change only when the status flips', () => {
    const first = setPressureCondition([], 'PIDPressure', false, t0);
    expect(first.event).toBe('NodeHasSufficientPID');
    const same = setPressureCondition(first.conditions, 'PIDPressure', false, t1);
    expect(same).toEqual({ conditions: [{ ...first.conditions[0], lastHeartbeatTime: t1 }] });
    const flipped = setPressureCondition(same.conditions, 'PIDPressure', true, t1);
    expect([flipped.event, flipped.conditions[0]?.lastTransitionTime]).toEqual(['NodeHasInsufficientPID', t1]);
    expect(first.conditions[0]?.lastHeartbeatTime).toBe(t0);
  });

  it('of readiness always have the current message, and emit an event only when the status flips', () => {
    const first = setReadyCondition([], { problems: ['a'] }, t0);
    expect([first.event, first.conditions[0]?.message]).toEqual([undefined, 'a']);
    const other = setReadyCondition(first.conditions, { problems: ['b', 'a', 'b'] }, t1);
    expect([other.event, other.conditions[0]]).toMatchObject([
      undefined,
      { message: '[b, a]', lastTransitionTime: t0, lastHeartbeatTime: t1 },
    ]);
    const ready = setReadyCondition(other.conditions, { problems: [], warning: 'no cpuset' }, t1);
    expect([ready.event, ready.conditions[0]]).toMatchObject([
      'NodeReady',
      { status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status. WARNING: no cpuset', lastTransitionTime: t1 },
    ]);
  });

  it('keep their positions among other conditions', () => {
    const present: NodeCondition[] = ['Custom', 'Ready', 'Last'].map((type) => ({ type, status: 'True' }));
    expect(setReadyCondition(present, { problems: [] }, t0).conditions.map(({ type }) => type)).toEqual(['Custom', 'Ready', 'Last']);
  });
});

it('lists the reasons why a node is not ready in a fixed order', () => {
  const problems = readinessProblems({
    storageErrors: ['storage'],
    networkErrors: ['network'],
    runtimeErrors: ['runtime'],
    shutdownError: 'node is shutting down',
    capacity: { cpu: '1' },
    localStorageCapacityIsolation: true,
  });
  expect(aggregateMessage(problems)).toBe(
    '[runtime, network, storage, node is shutting down, missing node capacity for resources: memory, pods, ephemeral-storage]',
  );
  expect(aggregateMessage([])).toBeUndefined();
});

it('reports why the runtime cannot run pods', () => {
  expect(runtimeErrors({}, 0)).toEqual(['container runtime status check may not have completed yet']);
  expect(runtimeErrors({ lastSync: 0 }, 29_999)).toEqual([]);
  const condition = { type: 'RuntimeReady', status: false, reason: 'R', message: 'M' };
  expect(runtimeErrors({ lastSync: 0, unhealthy: [{ name: 'PLEG', reason: 'slow' }], notReady: condition }, 30_000)).toEqual([
    'container runtime is down',
    'PLEG is not healthy: slow',
    'container runtime not ready: RuntimeReady=false reason:R message:M',
  ]);
  expect(networkErrors(undefined)).toEqual(['network state unknown']);
  expect(networkErrors({ ...condition, type: 'NetworkReady' })).toEqual([
    'container runtime network not ready: NetworkReady=false reason:R message:M',
  ]);
  expect(networkErrors({ ...condition, status: true })).toEqual([]);
});
