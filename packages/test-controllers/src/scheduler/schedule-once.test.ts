import type { Node, Pod } from '@nodeagent/api';
import type { PodInput } from '@nodeagent/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeTaints } from './node-taints.js';
import { scheduleOnce } from './schedule-once.js';
import { aNode, asking, bound, type NodeInput, waiting } from './test-cluster-objects.js';

function place(pods: Pod[], nodes: Node[], boundPods: Pod[] = []): Record<string, string> {
  const { bindings, unschedulable } = scheduleOnce({ pods, nodes, boundPods });
  return Object.fromEntries([
    ...bindings.map(({ pod, nodeName }) => [pod.metadata?.name, nodeName]),
    ...unschedulable.map(({ pod, message }) => [pod.metadata?.name, message]),
  ]);
}

const noHelp = (count: number, of = count) =>
  `no new claims to deallocate, preemption: 0/${of} nodes are available: ${count} Preemption is not helpful for scheduling.`;
const noVictims = (count: number, of = count) =>
  `no new claims to deallocate, preemption: 0/${of} nodes are available: ${count} No preemption victims found for incoming pod.`;

describe('a pod is scheduled', () => {
  it('to the node with most free resources, then with the fewest pods, then by name', () => {
    const nodes = [aNode('b'), aNode('a'), aNode('c')];
    expect(place([waiting('p')], nodes, [bound('x', 'a', { containers: asking({ cpu: '1' }) })])).toEqual({ p: 'b' });
    expect(place([waiting('p'), waiting('q'), waiting('r'), waiting('s')], nodes)).toEqual({ p: 'a', q: 'b', r: 'c', s: 'a' });
  });

  it('by priority, then by age', () => {
    const nodes = [aNode('n', { allocatable: { pods: '1' } })];
    const old = waiting('old', { metadata: { creationTimestamp: '2025-01-01T00:00:00Z' } });
    expect(place([waiting('new'), old], nodes)).toMatchObject({ old: 'n' });
    expect(place([old, waiting('urgent', { priority: 10 })], nodes)).toMatchObject({ urgent: 'n' });
  });

  it('away from PreferNoSchedule taints', () => {
    const taints = [{ key: 'k', effect: 'PreferNoSchedule' }];
    expect(place([waiting('p')], [aNode('a', { taints }), aNode('b', { allocatable: { cpu: '1' } })])).toEqual({ p: 'b' });
  });

  it('not before its scheduling gates are removed', () => {
    const pods = [
      waiting('gated', { schedulingGates: [{ name: 'g' }] }),
      waiting('other', { schedulerName: 'other' }),
      waiting('deleted', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      waiting('ended', { status: { phase: 'Failed' } }),
      bound('there', 'n'),
    ];
    expect(place(pods, [aNode('n')])).toEqual({});
  });

  it('to resources that terminated pods have freed', () => {
    const ended = bound('x', 'n', { containers: asking({ cpu: '4' }), status: { phase: 'Succeeded' } });
    expect(place([waiting('p', { containers: asking({ cpu: '4' }) })], [aNode('n')], [ended])).toEqual({ p: 'n' });
  });
});

describe('the message of an unschedulable pod', () => {
  it.each<[string, Partial<PodInput>, Node[], Pod[]]>([
    ['no nodes available to schedule pods', {}, [], []],
    [`0/1 nodes are available: 1 node(s) were unschedulable. ${noHelp(1)}`, {}, [aNode('n', { unschedulable: true })], []],
    [
      `0/2 nodes are available: 2 node(s) had untolerated taint(s). ${noHelp(2)}`,
      {},
      [aNode('a', { conditions: { Ready: 'False' } }), aNode('b', { taints: [{ key: 'k', effect: 'NoExecute' }] })],
      [],
    ],
    [
      `0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. ${noHelp(1)}`,
      { nodeSelector: { disk: 'ssd' } },
      [aNode('n')],
      [],
    ],
    [
      `0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: ` +
        '1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.',
      { containers: asking({ cpu: '3' }) },
      [aNode('small', { allocatable: { cpu: '2' } }), aNode('full')],
      [bound('x', 'full', { containers: asking({ cpu: '2' }) })],
    ],
    [
      `0/1 nodes are available: 1 Insufficient example.com/gpu, 1 Too many pods. ${noHelp(1)}`,
      { containers: asking({ 'example.com/gpu': '1' }) },
      [aNode('n', { allocatable: { pods: '0' } })],
      [],
    ],
    [
      `0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. ${noVictims(1)}`,
      { containers: [{ image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] }] },
      [aNode('n')],
      [bound('x', 'n', { containers: [{ image: 'i', ports: [{ containerPort: 8080, hostPort: 80, hostIP: '10.0.0.1' }] }] })],
    ],
  ])('%s', (message, input, nodes, boundPods) => {
    expect(place([waiting('p', input)], nodes, boundPods)).toEqual({ p: message });
  });
});

describe('affinity between pods', () => {
  const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' };
  const near = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const apart = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const labels = { app: 'web' };
  const nodes = [aNode('a'), aNode('b')];

  it('schedules pods together, the first one anywhere', () => {
    expect(place([waiting('p', { affinity: near, labels }), waiting('q', { affinity: near, labels })], nodes)).toEqual({ p: 'a', q: 'a' });
    expect(place([waiting('p', { affinity: near })], nodes)).toEqual({
      p: `0/2 nodes are available: 2 node(s) didn't match pod affinity rules. ${noHelp(2)}`,
    });
  });

  it('keeps pods apart, whichever has the anti-affinity', () => {
    const pods = ['p', 'q', 'r'].map((name) => waiting(name, { affinity: apart, labels }));
    expect(place(pods, nodes)).toEqual({
      p: 'a',
      q: 'b',
      r: `0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. ${noVictims(2)}`,
    });
    expect(place([waiting('p', { labels })], [aNode('a')], [bound('x', 'a', { affinity: apart })])).toEqual({
      p: `0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. ${noVictims(1)}`,
    });
  });
});

it('derives taints from conditions', () => {
  const keys = (input: NodeInput) => nodeTaints(aNode('n', input)).map(({ key, effect }) => `${key}:${effect}`);
  expect(keys({})).toEqual([]);
  expect(keys({ conditions: {} })).toEqual(['node.kubernetes.io/not-ready:NoSchedule']);
  expect(keys({ conditions: { Ready: 'Unknown', DiskPressure: 'True' } })).toEqual([
    'node.kubernetes.io/unreachable:NoSchedule',
    'node.kubernetes.io/disk-pressure:NoSchedule',
  ]);
  const pressed = [aNode('n', { conditions: { Ready: 'True', MemoryPressure: 'True' } })];
  const placed = place([waiting('besteffort'), waiting('burstable', { containers: asking({ cpu: '1' }) })], pressed);
  expect(placed.burstable).toBe('n');
  expect(placed.besteffort).toContain('untolerated taint');
});

it('never overcommits a node, and processes every pod', () => {
  const amount = fc.integer({ min: 0, max: 5 });
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 4 }), fc.array(amount, { maxLength: 12 }), (capacities, requests) => {
      const nodes = capacities.map((cpu, i) => aNode(`n${i}`, { allocatable: { cpu: String(cpu) } }));
      const pods = requests.map((cpu, i) => waiting(`p${i}`, { containers: asking({ cpu: String(cpu) }) }));
      const { bindings, unschedulable } = scheduleOnce({ pods, nodes, boundPods: [] });
      expect(bindings.length + unschedulable.length).toBe(pods.length);
      for (const [i, capacity] of capacities.entries()) {
        const here = bindings.filter(({ nodeName }) => nodeName === `n${i}`);
        const taken = here.reduce((sum, { pod }) => sum + Number(pod.spec?.containers[0]?.resources?.requests?.cpu), 0);
        expect(taken).toBeLessThanOrEqual(capacity);
      }
      expect(
        scheduleOnce({ pods: [...pods].reverse(), nodes: [...nodes].reverse(), boundPods: [] }).bindings.map(({ nodeName }) => nodeName),
      ).toEqual(bindings.map(({ nodeName }) => nodeName));
    }),
  );
});
