import type { Node, Pod } from '@nodeagent/api';
import type { PodInput } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import type { StoredObject } from '../controller-objects.js';
import { scheduleOnce } from './schedule-once.js';
import { aNode, asking, bound, waiting } from './test-cluster-objects.js';

const nodes = [aNode('a'), aNode('b')];
const using = (name: string, nodeName: string, cpu: string, priority: number, input: Partial<PodInput> = {}) =>
  bound(name, nodeName, { containers: asking({ cpu }), priority, ...input });
const important = (cpu: string, input: Partial<PodInput> = {}) => waiting('p', { containers: asking({ cpu }), priority: 100, ...input });
const startedAt = (startTime: string) => ({ status: { startTime } });

function preempt(
  pod: Pod,
  boundPods: Pod[],
  { nodes: of = nodes, budgets = [] as StoredObject[] }: { nodes?: Node[]; budgets?: StoredObject[] } = {},
) {
  const { preemptions, unschedulable } = scheduleOnce({
    pods: [pod],
    nodes: of,
    boundPods,
    objects: { 'policy/poddisruptionbudgets': budgets },
  });
  const [found] = preemptions;
  return found ? [found.nodeName, ...found.victims.map(({ metadata }) => metadata?.name)] : unschedulable[0]?.message;
}

const budget = (app: string, disruptionsAllowed: number): StoredObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: app, namespace: 'default' },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed },
});

it.each<[promise: string, boundPods: Pod[], expected: string[]]>([
  ['lower priorities of the most important victim', [using('x', 'a', '4', 20), using('y', 'b', '4', 10)], ['b', 'y']],
  [
    'a lower sum of priorities',
    [using('x', 'a', '2', 10), using('x2', 'a', '2', 10), using('y', 'b', '3', 10), using('y2', 'b', '1', 0)],
    ['b', 'y', 'y2'],
  ],
  ['fewer victims', [using('x', 'a', '2', 10), using('x2', 'a', '2', 10), using('y', 'b', '4', 10)], ['b', 'y']],
  [
    'victims that started last',
    [using('x', 'a', '4', 10, startedAt('2026-01-01T00:00:00Z')), using('y', 'b', '4', 10, startedAt('2026-01-02T00:00:00Z'))],
    ['b', 'y'],
  ],
  ['the first name', [using('x', 'a', '4', 10), using('y', 'b', '4', 10)], ['a', 'x']],
])('preempts on the node with %s', (_, boundPods, expected) => {
  expect(preempt(important('4'), boundPods)).toEqual(expected);
});

it('ends as few and as unimportant pods as possible', () => {
  const pods = [using('x', 'a', '1', 30), using('y', 'a', '1', 20), using('z', 'a', '2', 10)];
  expect(preempt(important('2'), pods, { nodes: [aNode('a')] })).toEqual(['a', 'z']);
  expect(preempt(important('3'), pods, { nodes: [aNode('a')] })).toEqual(['a', 'y', 'z']);
  const twins = [
    using('old', 'a', '2', 10, startedAt('2026-01-01T00:00:00Z')),
    using('new', 'a', '2', 10, startedAt('2026-01-02T00:00:00Z')),
  ];
  expect(preempt(important('2'), twins, { nodes: [aNode('a')] })).toEqual(['a', 'new']);
});

it('keeps pods that a disruption budget protects, if others suffice', () => {
  const labelled = (app: string) => ({ labels: { app } });
  const pods = [using('x', 'a', '4', 10, labelled('kept')), using('y', 'b', '4', 50, labelled('free'))];
  const budgets = [budget('kept', 0), budget('free', 1)];
  expect(preempt(important('4'), pods, { budgets })).toEqual(['b', 'y']);
  const two = [using('x', 'a', '2', 10, labelled('kept')), using('y', 'a', '2', 50, labelled('free'))];
  expect(preempt(important('2'), two, { nodes: [aNode('a')], budgets })).toEqual(['a', 'y']);
  expect(preempt(important('4'), two, { nodes: [aNode('a')], budgets })).toEqual(['a', 'y', 'x']);
});

it('preempts for ports, anti-affinity and spread, not for what the node lacks', () => {
  const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' };
  const apart = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
  const one = { nodes: [aNode('a')] };
  expect(preempt(important('1', apart), [using('x', 'a', '1', 0, { labels: { app: 'web' } })], one)).toEqual(['a', 'x']);
  expect(preempt(important('1', { labels: { app: 'web' } }), [using('x', 'a', '1', 0, apart)], one)).toEqual(['a', 'x']);
  const ports = [{ image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] }];
  expect(preempt(important('1', { containers: ports }), [using('x', 'a', '1', 0, { containers: ports })], one)).toEqual(['a', 'x']);
  expect(preempt(important('5'), [using('x', 'a', '4', 0)], one)).toBe(
    '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: ' +
      '1 Preemption is not helpful for scheduling.',
  );
  expect(preempt(important('4', { preemptionPolicy: 'Never' }), [using('x', 'a', '4', 0)], one)).toBe(
    '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
  );
  expect(preempt(important('3'), [using('x', 'a', '2', 0), using('y', 'a', '2', 200)], one)).toContain(
    'preemption: 0/1 nodes are available: 1 Insufficient cpu.',
  );
});

it('waits for its victims on the nominated node, whose place pods of lower priority do not get', () => {
  const dying = using('x', 'a', '4', 0, {
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
  });
  const nominated = { ...important('4'), status: { phase: 'Pending', nominatedNodeName: 'a' } };
  const one = [aNode('a')];
  expect(preempt(nominated, [dying], { nodes: one })).toContain('preemption: not eligible due to a terminating pod on the nominated node.');
  const pods = [
    waiting('late', { containers: asking({ cpu: '1' }), priority: 50 }),
    waiting('urgent', { containers: asking({ cpu: '1' }), priority: 200 }),
  ];
  const { bindings } = scheduleOnce({ pods, nodes: one, boundPods: [nominated] });
  expect(bindings.map(({ pod }) => pod.metadata?.name)).toEqual(['urgent']);
});
