import type { Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { controllerScales } from './controller-scales.js';
import { type DisruptionBudget, disruptionBudgetStatus } from './disruption-budget.js';

const now = Date.parse('2026-01-01T00:00:00Z');

const aPod = (name: string, { ready = true, owner = 'rs', deleted = false } = {}): Pod => ({
  metadata: {
    name,
    namespace: 'ns',
    labels: { app: 'web' },
    ...(owner && { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }] }),
    ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

const aBudget = (spec: DisruptionBudget['spec'], status?: DisruptionBudget['status']): DisruptionBudget => ({
  metadata: { name: 'web', namespace: 'ns', generation: 2 },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  ...(status && { status }),
});

const scales = (replicas: number) => new Map([['rs', { uid: 'deployment', replicas }]]);
const counts = (budget: DisruptionBudget, pods: Pod[], replicas = 10) => {
  const { status } = disruptionBudgetStatus({ budget, pods, scales: scales(replicas), now });
  return [status.disruptionsAllowed, status.currentHealthy, status.desiredHealthy, status.expectedPods];
};
const three = [aPod('a'), aPod('b'), aPod('c', { ready: false })];

describe('disruptionBudgetStatus', () => {
  it('allows as many disruptions as there are healthy pods beyond minAvailable', () => {
    expect(counts(aBudget({ minAvailable: 1 }), three)).toEqual([1, 2, 1, 3]);
    expect(counts(aBudget({ minAvailable: 2 }), three)).toEqual([0, 2, 2, 3]);
    expect(counts(aBudget({ minAvailable: 0 }), [])).toEqual([0, 0, 0, 0]);
  });

  it('counts percentages and maxUnavailable of the replicas of the controllers, rounded up', () => {
    expect(counts(aBudget({ minAvailable: '34%' }), three, 3)).toEqual([0, 2, 2, 3]);
    expect(counts(aBudget({ maxUnavailable: '34%' }), three, 3)).toEqual([1, 2, 1, 3]);
    expect(counts(aBudget({ maxUnavailable: 1 }), three, 3)).toEqual([0, 2, 2, 3]);
    expect(counts(aBudget({ maxUnavailable: 5 }), three, 3)).toEqual([2, 2, 0, 3]);
  });

  it('counts pods without a controller only with a number in minAvailable', () => {
    const lone = [aPod('a', { owner: '' })];
    expect(counts(aBudget({ minAvailable: 0 }), lone)).toEqual([1, 1, 0, 1]);
    expect(counts(aBudget({ maxUnavailable: 1 }), lone)).toEqual([0, 1, 0, 0]);
  });

  it('does not count terminating pods', () => {
    expect(counts(aBudget({ minAvailable: 1 }), [aPod('a'), aPod('b', { deleted: true })])).toEqual([0, 1, 1, 2]);
  });

  it('selects all pods of the namespace with an empty selector, and none without one', () => {
    expect(counts(aBudget({ minAvailable: 1, selector: {} }), three)).toEqual([1, 2, 1, 3]);
    const { selector: _, ...spec } = aBudget({ minAvailable: 1 }).spec ?? {};
    expect(counts({ ...aBudget({}), spec }, three)).toEqual([0, 0, 1, 0]);
  });

  it('reports in a condition whether disruptions are allowed, and allows none while a scale is unknown', () => {
    const condition = (known: boolean, status?: DisruptionBudget['status']) => {
      const budget = aBudget({ maxUnavailable: 2 }, status);
      return disruptionBudgetStatus({ budget, pods: three, scales: known ? scales(3) : new Map(), now: now + 5_000 }).status;
    };
    const known = condition(true);
    expect(known).toEqual({
      observedGeneration: 2,
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 3,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          reason: 'SufficientPods',
          message: '',
          observedGeneration: 2,
          lastTransitionTime: '2026-01-01T00:00:05Z',
        },
      ],
    });
    expect(condition(false, known)).toMatchObject({
      disruptionsAllowed: 0,
      currentHealthy: 2,
      conditions: [{ status: 'False', reason: 'SyncFailed', message: 'found no controllers for pod "a"' }],
    });
  });

  it('does not count disrupted pods for two minutes', () => {
    const disruptedPods = { a: '2026-01-01T00:00:00Z', b: '2025-12-31T00:00:00Z', removed: '2026-01-01T00:00:00Z' };
    const before = { disruptedPods, disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    const { status, againAt } = disruptionBudgetStatus({
      budget: aBudget({ minAvailable: 1 }, before),
      pods: three,
      scales: scales(3),
      now,
    });
    expect(status).toMatchObject({ currentHealthy: 1, disruptedPods: { a: '2026-01-01T00:00:00Z' } });
    expect(Object.keys(status.disruptedPods ?? {})).toEqual(['a']);
    expect(againAt).toBe(now + 120_001);
  });
});

it('takes the scale of a ReplicaSet from its Deployment', () => {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true }];
  const stored: Record<string, unknown> = {
    'apps/replicasets rs': { metadata: { name: 'rs', uid: 'rs', ownerReferences }, spec: { replicas: 1 } },
    'apps/deployments web': { metadata: { name: 'web', uid: 'd' }, spec: { replicas: 4 } },
  };
  const get = (storage: string, _: string | undefined, name: string) => stored[`${storage} ${name}`] as never;
  expect([...controllerScales(get, [...three, aPod('d', { owner: 'deleted' })])]).toEqual([['rs', { uid: 'd', replicas: 4 }]]);
});

it('reports budgets without pods, pods without a controller, and pods that were not deleted', () => {
  const eventsOf = (budget: DisruptionBudget, pods: Pod[]) =>
    disruptionBudgetStatus({ budget, pods, scales: scales(3), now }).events.map(({ reason, message, pod }) => [
      reason,
      message,
      pod?.metadata?.name,
    ]);
  expect(eventsOf(aBudget({ minAvailable: '50%' }), [])).toEqual([['NoPods', 'No matching pods found', undefined]]);
  expect(eventsOf(aBudget({ minAvailable: 1 }), [aPod('a', { owner: '' })])).toEqual([]);
  const [[reason, message] = []] = eventsOf(aBudget({ maxUnavailable: 1 }), [aPod('a', { owner: '' })]);
  expect(reason).toBe('UnmanagedPods');
  expect(message).toContain(
    '(selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},})',
  );
  const status = {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    disruptedPods: { a: '2025-12-31T23:00:00Z' },
  };
  expect(eventsOf(aBudget({ minAvailable: 1 }, status), [aPod('a')])).toEqual([
    ['NotDeleted', "Pod was expected by PDB ns/ns to be deleted but it wasn't", 'a'],
  ]);
  expect(eventsOf(aBudget({ maxUnavailable: 1 }), [aPod('a', { owner: 'missing' })])).toEqual([
    ['CalculateExpectedPodCountFailed', 'Failed to calculate the number of expected pods: found no controllers for pod "a"', undefined],
  ]);
});
