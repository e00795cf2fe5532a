import type { Node, Pod } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createPredicateAdmitHandler, type PredicateAdmitHandlerOptions } from './predicate-admit-handler.js';
import { describeFailure, fitFailures } from './predicates.js';
import type { ResourceRequirement } from './requirement.js';

const node: Node = {
  metadata: { name: 'n1', labels: { 'kubernetes.io/os': 'linux', zone: 'a' } },
  status: { allocatable: { cpu: '2', memory: '1Gi', 'ephemeral-storage': '10Gi', pods: '3' } },
};
const asking = (name: string, requests: Record<string, string>, more: object = {}): Pod =>
  buildPod({ name, nodeName: 'n1', containers: [{ resources: { requests } }], ...more });
const fits = (pod: Pod, others: Pod[] = [], on = node) => fitFailures(pod, on, others).map((failure) => describeFailure(failure).message);

describe('fit', () => {
  it('checks all predicates, resources first', () => {
    const pod = asking('p', { cpu: '1500m', memory: '512Mi' }, { nodeName: 'other', nodeSelector: { zone: 'b' } });
    const others = [asking('a', { cpu: '1' }), asking('b', { memory: '1Gi' }), asking('c', {})];
    const tainted: Node = {
      ...node,
      spec: {
        taints: [
          { key: 'k', effect: 'NoExecute' },
          { key: 'l', effect: 'NoSchedule' },
        ],
      },
    };
    expect(fits(pod, others, tainted)).toEqual([
      "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
      "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
      "Node didn't have enough resource: memory, requested: 536870912, used: 1073741824, capacity: 1073741824",
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
      "Predicate NodeName failed: node(s) didn't match the requested node name",
      "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    ]);
  });

  it('returns shortages as exact quantities', () => {
    const huge = asking('p', { cpu: '2500m', memory: '9007199254740993' });
    expect(fitFailures(huge, node, [])).toEqual([
      { shortage: { resource: 'cpu', requested: '2500m', used: '0m', capacity: '2000m' } },
      { shortage: { resource: 'memory', requested: '9007199254740993', used: '0', capacity: '1073741824' } },
    ]);
    expect(fits(huge)[1]).toBe("Node didn't have enough resource: memory, requested: 9007199254740993, used: 0, capacity: 1073741824");
  });

  it('admits a pod without requests on an overcommitted node', () => {
    expect(fits(asking('p', {}), [asking('a', { cpu: '8' })])).toEqual([]);
  });

  it('ignores extended resources that the node does not have', () => {
    const requests = { 'example.com/gpu': '4', 'hugepages-2Mi': '4Mi' };
    expect(fits(asking('p', requests))).toEqual([
      "Node didn't have enough resource: hugepages-2Mi, requested: 4194304, used: 0, capacity: 0",
    ]);
    const withGpu: Node = { ...node, status: { allocatable: { ...node.status?.allocatable, 'example.com/gpu': '2' } } };
    expect(fits(asking('p', { 'example.com/gpu': '4' }), [], withGpu)).toEqual([
      "Node didn't have enough resource: example.com/gpu, requested: 4, used: 0, capacity: 2",
    ]);
  });

  it('ignores taints for static pods', () => {
    const tainted: Node = { ...node, spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } };
    expect(fits(asking('p', {}, { annotations: { 'kubernetes.io/config.source': 'file' } }), [], tainted)).toEqual([]);
  });

  it.each([
    [{ hostPort: 80 }, { hostPort: 80 }, true],
    [{ hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '10.0.0.2' }, false],
    [{ hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80 }, true],
    [{ hostPort: 80, protocol: 'UDP' }, { hostPort: 80 }, false],
    [{ hostPort: 80 }, {}, false],
  ])('port %o beside %o: conflict %s', (wanted, used, conflict) => {
    const withPort = (name: string, port: object) =>
      buildPod({ name, containers: [{ ports: [{ containerPort: 80, ...port }] }], nodeName: 'n1' });
    expect(fits(withPort('p', wanted), [withPort('q', used)])).toEqual(
      conflict ? ["Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"] : [],
    );
  });

  it('treats an invalid affinity as one without matches', () => {
    const expression = { key: 'zone', operator: 'Nonsense' };
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
    };
    expect(fits(asking('p', {}, { affinity }))).toHaveLength(1);
  });
});

describe('admission', () => {
  const admit = (pod: Pod, options: Partial<PredicateAdmitHandlerOptions> = {}, otherPods: Pod[] = []) =>
    createPredicateAdmitHandler({ node: () => node, ...options }).admit({ pod, otherPods });
  const greedy = asking('p', { cpu: '3', memory: '2Gi' });
  const critical = asking('p', { cpu: '3', memory: '2Gi' }, { priority: 2_000_000_000 });

  it('returns the first reason', async () => {
    expect(await admit(greedy)).toEqual({
      admit: false,
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000",
    });
    expect(await admit(asking('p', { cpu: '1' }))).toEqual({ admit: true });
  });

  it.each([
    [{ labels: { 'kubernetes.io/os': 'windows' } }, 'PodOSSelectorNodeLabelDoesNotMatch'],
    [{ os: { name: 'windows' } }, 'PodOSNotSupported'],
    [{ securityContext: { supplementalGroupsPolicy: 'Strict' } }, 'SupplementalGroupsPolicyNotSupported'],
  ])('refuses a pod with %o', async (more, reason) => {
    expect(await admit(asking('p', {}, more))).toMatchObject({ admit: false, reason });
  });

  it('refuses without a node', async () => {
    const noNode = async () => {
      throw new Error('not yet');
    };
    expect(await admit(greedy, { node: noNode })).toEqual({
      admit: false,
      reason: 'InvalidNodeInfo',
      message: 'Kubelet cannot get node info.',
    });
  });

  it('reads the newest labels before it refuses because of affinity only', async () => {
    let fetched = 0;
    const fetchNode = async () => {
      fetched++;
      return { ...node, metadata: { ...node.metadata, labels: { zone: 'b' } } };
    };
    const wantsB = asking('p', {}, { nodeSelector: { zone: 'b' } });
    expect([await admit(wantsB, { fetchNode }), fetched]).toEqual([{ admit: true }, 1]);
    expect([(await admit(greedy, { fetchNode })).admit, fetched]).toEqual([false, 1]);
    const failing = async () => {
      throw new Error('away');
    };
    expect(await admit(wantsB, { fetchNode: failing })).toMatchObject({ admit: false, reason: 'NodeAffinity' });
  });

  it('preempts for a critical pod, unless another predicate fails', async () => {
    const asked: (readonly ResourceRequirement[])[] = [];
    const preempt = async (_: object, missing: readonly ResourceRequirement[]) => {
      asked.push(missing);
    };
    expect(await admit(critical, { preempt })).toEqual({ admit: true });
    expect(asked).toEqual([
      [
        { resource: 'cpu', quantity: '1' },
        { resource: 'memory', quantity: '1073741824' },
      ],
    ]);
    expect(await admit(greedy, { preempt })).toMatchObject({ reason: 'OutOfcpu' });
    const misplaced = { ...critical, spec: { ...critical.spec, nodeName: 'other' } } as Pod;
    expect([await admit(misplaced, { preempt }), asked.length]).toMatchObject([{ reason: 'NodeName' }, 1]);
  });

  it('reports why preemption failed', async () => {
    const preempt = async () => {
      throw new Error('preemption: no pods to preempt');
    };
    expect(await admit(critical, { preempt })).toEqual({
      admit: false,
      reason: 'UnexpectedAdmissionError',
      message: 'Unexpected error while attempting to recover from admission failure: preemption: no pods to preempt',
    });
  });
});
