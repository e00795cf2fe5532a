import type { Node, Pod, TopologySpreadConstraint } from '@nodeagent/api';
import type { PodInput } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { StoredObject } from '../controller-objects.js';
import { explainScheduling } from './explain-scheduling.js';
import { aNode, asking, bound, waiting } from './test-cluster-objects.js';

/** Each node's first reason against a pod, or `fits`. */
function reasons(input: Partial<PodInput>, nodes: Node[], boundPods: Pod[] = [], objects: Record<string, StoredObject[]> = {}) {
  const { nodes: found } = explainScheduling({ pod: waiting('p', input), nodes, boundPods, objects });
  return Object.fromEntries(found.map(({ name, fits, reasons: [reason] }) => [name, fits ? 'fits' : reason]));
}

/** Each node's score by one plugin. */
function scores(
  plugin: string,
  input: Partial<PodInput>,
  nodes: Node[],
  boundPods: Pod[] = [],
  objects: Record<string, StoredObject[]> = {},
) {
  const { nodes: found } = explainScheduling({ pod: waiting('p', input), nodes, boundPods, objects });
  return Object.fromEntries(found.map(({ name, scores: parts }) => [name, parts?.find((part) => part.plugin === plugin)?.score]));
}

const zone = 'topology.kubernetes.io/zone';
const hostname = 'kubernetes.io/hostname';
const web = { app: 'web' };
const selector = { matchLabels: web };
const zones = [aNode('a', { labels: { [zone]: 'x' } }), aNode('b', { labels: { [zone]: 'x' } }), aNode('c', { labels: { [zone]: 'y' } })];
const skewed = "node(s) didn't match pod topology spread constraints";
const spread = (fields: Partial<TopologySpreadConstraint> = {}): Partial<PodInput> => ({
  labels: web,
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector, ...fields }],
});

describe('rules of one node', () => {
  const notSelected = "node(s) didn't match Pod's node affinity/selector";
  const named = (...names: string[][]) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: names.map((each) => ({
            matchFields: each.map((name) => ({ key: 'metadata.name', operator: 'In', values: [name] })),
          })),
        },
      },
    },
  });
  const excluded = "node(s) didn't satisfy plugin(s) [NodeAffinity]";

  it('considers only the nodes that required affinity names', () => {
    expect(reasons(named(['a']), zones)).toEqual({ a: 'fits', b: excluded, c: excluded });
    expect(reasons(named(['a'], ['c']), zones)).toEqual({ a: 'fits', b: excluded, c: 'fits' });
    expect(reasons(named(['a', 'b']), zones)).toEqual(
      Object.fromEntries(['a', 'b', 'c'].map((name) => [name, 'pod affinity terms conflict'])),
    );
    expect(reasons({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } }, zones).a).toBe(notSelected);
    const { message } = explainScheduling({ pod: waiting('p', named(['absent'])), nodes: zones, boundPods: [] });
    expect(message).toContain(`0/3 nodes are available: 3 ${excluded}. `);
  });

  it.each([
    ['10.0.0.1', undefined, 'clash'],
    [undefined, '10.0.0.1', 'clash'],
    ['10.0.0.1', '10.0.0.1', 'clash'],
    ['10.0.0.1', '10.0.0.2', 'fits'],
  ])('host ports of %s and %s: %s', (wanted, taken, result) => {
    const ports = (hostIP: string | undefined) => [{ image: 'i', ports: [{ containerPort: 80, hostPort: 80, ...(hostIP && { hostIP }) }] }];
    const found = reasons({ containers: ports(wanted) }, [aNode('a')], [bound('x', 'a', { containers: ports(taken) })]);
    expect(found.a === 'fits').toBe(result === 'fits');
    expect(reasons({ containers: ports(wanted) }, [aNode('a')], [bound('x', 'a', { initContainers: ports(taken) })]).a).toBe('fits');
  });

  it('counts init containers, sidecars, pod-level resources and overhead', () => {
    const nodes = [aNode('a', { allocatable: { cpu: '2' } })];
    const fits = (input: Partial<PodInput>) => reasons({ containers: asking({ cpu: '1' }), ...input }, nodes).a === 'fits';
    expect(fits({ initContainers: asking({ cpu: '2' }) })).toBe(true);
    expect(fits({ initContainers: asking({ cpu: '3' }) })).toBe(false);
    expect(fits({ initContainers: [{ image: 'i', restartPolicy: 'Always', resources: { requests: { cpu: '1500m' } } }] })).toBe(false);
    expect(fits({ overhead: { cpu: '1' } })).toBe(true);
    expect(fits({ overhead: { cpu: '1001m' } })).toBe(false);
    expect(fits({ resources: { requests: { cpu: '3' } } })).toBe(false);
  });

  it('rejects cordoned nodes unless the pod tolerates them', () => {
    const nodes = [aNode('a', { unschedulable: true })];
    expect(reasons({}, nodes).a).toBe('node(s) were unschedulable');
    expect(reasons({ tolerations: [{ operator: 'Exists' }] }, nodes).a).toBe('fits');
  });
});

describe('affinity between pods', () => {
  const term = { labelSelector: selector, topologyKey: zone };
  const near = (fields: object = {}) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, ...fields }] } },
  });
  const apart = (fields: object = {}) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, ...fields }] } },
  });
  const namespaces = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other', labels: { team: 'blue' } } }];
  const other = bound('x', 'a', { namespace: 'other', labels: web });
  const notNear = "node(s) didn't match pod affinity rules";
  const repelled = "node(s) didn't satisfy existing pods anti-affinity rules";

  it.each([
    ['its own namespace', {}, false],
    ['listed namespaces', { namespaces: ['other'] }, true],
    ['all namespaces', { namespaceSelector: {} }, true],
    ['selected namespaces', { namespaceSelector: { matchLabels: { team: 'blue' } } }, true],
    ['no namespace that a selector matches', { namespaceSelector: { matchLabels: { team: 'red' } } }, false],
  ])('reads pods of %s', (_, fields, isThere) => {
    const objects = { '/namespaces': namespaces };
    const expected = isThere ? 'fits' : notNear;
    expect(reasons(near(fields), zones, [other], objects)).toEqual({ a: expected, b: expected, c: notNear });
    const existing = bound('x', 'a', apart(fields));
    expect(reasons({ namespace: 'other', labels: web }, zones, [existing], objects).b).toBe(isThere ? repelled : 'fits');
  });

  it('requires one pod that matches all terms of affinity', () => {
    const both = {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [term, { labelSelector: { matchLabels: { tier: 'db' } }, topologyKey: hostname }],
        },
      },
    };
    expect(reasons(both, zones, [bound('x', 'a', { labels: web }), bound('y', 'a', { labels: { tier: 'db' } })]).a).toBe(notNear);
    expect(reasons(both, zones, [bound('x', 'a', { labels: { ...web, tier: 'db' } })])).toEqual({ a: 'fits', b: notNear, c: notNear });
  });

  it('compares the values of label keys with those of the pod', () => {
    const revisions = [bound('x', 'a', { labels: { ...web, hash: '1' } }), bound('y', 'c', { labels: { ...web, hash: '2' } })];
    const pod = { labels: { ...web, hash: '2' } };
    expect(reasons({ ...pod, ...near({ matchLabelKeys: ['hash'] }) }, zones, revisions)).toEqual({ a: notNear, b: notNear, c: 'fits' });
    expect(reasons({ ...pod, ...apart({ mismatchLabelKeys: ['hash'] }) }, zones, revisions).c).toBe('fits');
  });

  it('scores preferred terms of the pod, and those of the pods that are there', () => {
    const prefers = {
      affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: term }] } },
    };
    const avoids = {
      affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: term }] } },
    };
    expect(scores('InterPodAffinity', prefers, zones, [bound('x', 'c', { labels: web })])).toEqual({ a: 0, b: 0, c: 100 });
    expect(scores('InterPodAffinity', { labels: web }, zones, [bound('x', 'c', avoids)])).toEqual({ a: 100, b: 100, c: 0 });
    expect(scores('InterPodAffinity', { labels: web }, zones, [bound('x', 'c', near())])).toEqual({ a: 0, b: 0, c: 100 });
  });
});

describe('topology spread', () => {
  const pods = [bound('x', 'a', { labels: web }), bound('y', 'b', { labels: web }), bound('z', 'c', { labels: web })];

  it.each([
    ['the fuller zone', spread(), pods, { a: skewed, b: skewed, c: 'fits' }],
    ['nothing within maxSkew', spread({ maxSkew: 2 }), pods, { a: 'fits', b: 'fits', c: 'fits' }],
    [
      'nothing by terminating pods and those of other namespaces',
      spread(),
      [
        bound('x', 'a', { labels: web, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
        bound('y', 'b', { labels: web, namespace: 'other' }),
      ],
      { a: 'fits', b: 'fits', c: 'fits' },
    ],
    [
      'every zone that has a pod while there are fewer domains than minDomains',
      spread({ minDomains: 3 }),
      pods,
      { a: skewed, b: skewed, c: skewed },
    ],
    [
      'the other zone of a pod that its selector matches by no label',
      spread({ labelSelector: { matchLabels: { app: 'db' } } }),
      pods,
      { a: 'fits', b: 'fits', c: 'fits' },
    ],
    ['only pods of its revision', spread({ matchLabelKeys: ['app'], labelSelector: {} }), pods, { a: skewed, b: skewed, c: 'fits' }],
  ])('rejects %s', (_, input, boundPods, expected) => {
    expect(reasons(input, zones, boundPods)).toEqual(expected);
  });

  it('ignores domains by the policies of nodes', () => {
    const tainted = [
      ...zones.slice(0, 2),
      aNode('c', { labels: { [zone]: 'y', disk: 'ssd' }, taints: [{ key: 'k', effect: 'NoSchedule' }] }),
    ];
    const existing = [bound('x', 'a', { labels: web })];
    expect(reasons(spread(), tainted, existing)).toMatchObject({ a: skewed, b: skewed });
    expect(reasons(spread({ nodeTaintsPolicy: 'Honor' }), tainted, existing)).toMatchObject({ a: 'fits', b: 'fits' });
    const selecting = { nodeSelector: { [zone]: 'x' } };
    expect(reasons({ ...spread(), ...selecting }, zones, existing)).toMatchObject({ a: 'fits', b: 'fits' });
    expect(reasons({ ...spread({ nodeAffinityPolicy: 'Ignore' }), ...selecting }, zones, existing)).toMatchObject({ a: skewed, b: skewed });
  });

  it('needs the label of the topology on the node', () => {
    expect(reasons(spread(), [aNode('n')]).n).toBe(`${skewed} (missing required label)`);
  });

  it('scores nodes by preferred constraints, and by those of the scheduler for pods of a Service or controller', () => {
    const prefers = spread({ whenUnsatisfiable: 'ScheduleAnyway' });
    expect(scores('PodTopologySpread', prefers, zones, pods.slice(0, 2))).toEqual({ a: 0, b: 0, c: 100 });
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's', namespace: 'default' }, spec: { selector: web } };
    const byService = scores('PodTopologySpread', { labels: web }, zones, [bound('x', 'a', { labels: web })], { '/services': [service] });
    expect(byService).toMatchObject({ c: 100 });
    expect(byService.b).toBeGreaterThan(byService.a as number);
    expect(scores('PodTopologySpread', { labels: web }, zones, pods).a).toBeUndefined();
  });
});

describe('scores of nodes', () => {
  it('prefers free and balanced nodes, as kube-scheduler computes it', () => {
    const nodes = [aNode('a', { allocatable: { cpu: '4', memory: '10000' } }), aNode('b', { allocatable: { cpu: '6', memory: '10000' } })];
    const pod = { containers: asking({ cpu: '3', memory: '5000' }) };
    expect(scores('NodeResourcesFit', pod, nodes)).toEqual({ a: 37, b: 50 });
    expect(scores('NodeResourcesBalancedAllocation', pod, nodes)).toEqual({ a: 68, b: 75 });
    expect(scores('NodeResourcesBalancedAllocation', {}, nodes).a).toBeUndefined();
  });

  it('counts containers without requests as 100m and 200Mi', () => {
    const nodes = [aNode('a', { allocatable: { cpu: '1', memory: '1000Mi' } })];
    expect(scores('NodeResourcesFit', {}, nodes)).toEqual({ a: 85 });
    expect(scores('NodeResourcesFit', {}, nodes, [bound('x', 'a')])).toEqual({ a: 70 });
  });

  it('prefers nodes by affinity, taints and images', () => {
    const preferred = [
      { weight: 2, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
      { weight: 3, preference: { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] } },
    ];
    const images = [{ names: ['i:latest'], sizeBytes: 1_000 * 2 ** 20 }];
    const nodes = [
      aNode('a', { labels: { disk: 'ssd' }, taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }),
      aNode('b', { labels: { gpu: 'yes', disk: 'ssd' }, images }),
      aNode('c'),
    ];
    const pod = {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
      containers: [{ image: 'i' }],
    };
    expect(scores('NodeAffinity', pod, nodes)).toEqual({ a: 40, b: 100, c: 0 });
    expect(scores('TaintToleration', pod, nodes)).toEqual({ a: 0, b: 100, c: 100 });
    expect(scores('ImageLocality', pod, nodes)).toEqual({ a: 0, b: 31, c: 0 });
  });
});
