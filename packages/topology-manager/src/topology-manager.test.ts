import {
  admissionError,
  type MetricDefinition,
  type Metrics,
  type NumaNodeInfo,
  noMetrics,
  type Pod,
  type TopologyHint,
  type TopologyHintProvider,
  type TopologyHints,
} from '@nodeagent/api';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { TopologyManagerOptions } from './options.js';
import { createTopologyManager } from './topology-manager.js';

const nodes = (count: number) =>
  Array.from({ length: count }, (_, id): NumaNodeInfo => {
    return { id, memoryBytes: 1, hugePages: [], distances: Array.from({ length: count }, (__, to) => (to === id ? 10 : 20)) };
  });
const on = (numaNodes: number[] | null, preferred = true): TopologyHint => ({ numaNodes, preferred });
const pod = buildPod({ name: 'web', uid: 'u1', initContainers: ['i'], containers: [{ name: 'a' }, { name: 'b' }] });

/** A provider with the same hints for every container, which records what it is asked for. */
function testProvider(hints: TopologyHints, onAllocate: (container: string) => void = () => {}) {
  const calls: string[] = [];
  const provider: TopologyHintProvider = {
    getTopologyHints(_pod, { name }) {
      calls.push(`hints ${name}`);
      return hints;
    },
    getPodTopologyHints() {
      calls.push('hints of the pod');
      return hints;
    },
    async allocate(_pod, { name }, hint) {
      calls.push(`allocate ${name} ${JSON.stringify(hint.numaNodes)}`);
      onAllocate(name);
    },
  };
  return { provider, calls };
}

function recordingMetrics() {
  const counts: Record<string, number> = {};
  const inc = (key: string) => {
    counts[key] = (counts[key] ?? 0) + 1;
  };
  const metrics: Metrics = {
    ...noMetrics,
    counter: ({ name }: MetricDefinition) => ({ inc: (labels) => inc([name, ...Object.values(labels ?? {})].join(' ')) }),
  };
  return { counts, metrics };
}

const manager = (provider: TopologyHintProvider, options: Partial<TopologyManagerOptions> = {}) =>
  createTopologyManager({ topology: { numaNodes: nodes(2) }, providers: { cpus: provider }, clock: createVirtualClock(), ...options });

describe('scope container', () => {
  it('merges and assigns one container after the other, init containers first, and remembers the hints', async () => {
    const { provider, calls } = testProvider({ cpu: [on([0]), on([1])] });
    const { counts, metrics } = recordingMetrics();
    const topology = manager(provider, { policy: 'single-numa-node', metrics });
    const initContainer = pod.spec?.initContainers?.[0]?.name ?? '';
    expect(await topology.admit({ pod })).toEqual({ admit: true });
    expect(calls).toEqual([initContainer, 'a', 'b'].flatMap((name) => [`hints ${name}`, `allocate ${name} [0]`]));
    expect(topology.getAffinity('u1', 'a')).toEqual(on([0]));
    expect(topology.getAffinity('u1', 'other')).toEqual(on(null, false));
    expect(counts).toEqual({
      kubelet_topology_manager_admission_requests_total: 1,
      'kubelet_container_aligned_compute_resources_count container numa_node': 3,
    });
  });

  it('refuses a pod whose hints the policy does not accept, and explains it', async () => {
    const cpus = testProvider({ cpu: [on([0])] });
    const devices = testProvider({ 'example.com/gpu': [on([1])] });
    const { counts, metrics } = recordingMetrics();
    const providers = { devices: devices.provider, cpus: cpus.provider };
    const topology = manager(cpus.provider, { policy: 'restricted', providers, metrics });
    expect(await topology.admit({ pod })).toEqual({
      admit: false,
      reason: 'TopologyAffinityError',
      message: 'Resources cannot be allocated with Topology locality',
    });
    expect(topology.getAffinity('u1', 'a')).toEqual(on(null, false));
    expect(counts).toMatchObject({ kubelet_topology_manager_admission_errors_total: 1 });
    const { pods, policy } = topology.explain();
    expect(policy).toBe('restricted');
    expect(pods).toMatchObject([
      {
        podUID: 'u1',
        namespace: 'default',
        name: 'web',
        result: { admit: false },
        alignments: [
          {
            hint: on([0, 1], false),
            admit: false,
            reasons: ['no NUMA node can provide all resources'],
          },
        ],
      },
    ]);
    expect(JSON.parse(JSON.stringify(topology.explain()))).toEqual(topology.explain());
  });

  it.each<[string, TopologyHints, string]>([
    ['an impossible resource', { cpu: [] }, 'cpu (cpus) cannot be provided from NUMA nodes that the policy accepts'],
    ['a spread resource', { cpu: [on([0, 1], false)] }, 'cpu (cpus) is only available from NUMA nodes 0-1, more nodes than it needs'],
    [
      'different preferences',
      { cpu: [on([0])], memory: [on([0, 1])] },
      'the resources prefer different NUMA nodes: cpu (cpus) 0, memory (cpus) 0-1',
    ],
  ])('explains %s', async (_what, hints, reason) => {
    const topology = manager(testProvider(hints).provider, { policy: 'restricted' });
    expect((await topology.admit({ pod })).admit).toBe(false);
    expect(topology.explain().pods[0]?.alignments[0]?.reasons).toEqual([reason]);
  });

  it('reports which hint of which provider won', async () => {
    const topology = manager(testProvider({ cpu: [on([0, 1], false), on([1])] }).provider, { policy: 'best-effort' });
    await topology.admit({ pod });
    expect(topology.explain().pods[0]?.alignments[1]).toEqual({
      containerName: 'a',
      hint: on([1]),
      admit: true,
      chosen: [{ provider: 'cpus', resource: 'cpu', hint: on([1]) }],
      reasons: [],
    });
  });
});

describe('scope pod', () => {
  it('merges once and assigns each container with the same hint', async () => {
    const { provider, calls } = testProvider({ cpu: [on([1])] });
    const { counts, metrics } = recordingMetrics();
    const topology = manager(provider, { policy: 'single-numa-node', scope: 'pod', metrics });
    expect(await topology.admit({ pod })).toEqual({ admit: true });
    expect(calls[0]).toBe('hints of the pod');
    expect(calls.slice(1).every((call) => / \[1\]$/.test(call))).toBe(true);
    expect(calls).toHaveLength(4);
    expect(counts['kubelet_container_aligned_compute_resources_count pod numa_node']).toBe(1);
  });

  it('counts a refusal by single-numa-node', async () => {
    const { counts, metrics } = recordingMetrics();
    const topology = manager(testProvider({ cpu: [on([0, 1])] }).provider, { policy: 'single-numa-node', scope: 'pod', metrics });
    expect((await topology.admit({ pod })).admit).toBe(false);
    expect(counts['kubelet_container_aligned_compute_resources_failure_count pod numa_node']).toBe(1);
    expect(topology.explain().pods[0]?.alignments[0]).not.toHaveProperty('containerName');
  });
});

describe('assignment', () => {
  it('with the policy none asks for no hints, and assigns', async () => {
    const { provider, calls } = testProvider({ cpu: [] });
    for (const scope of ['container', 'pod'] as const) {
      expect(await manager(provider, { scope }).admit({ pod })).toEqual({ admit: true });
    }
    expect(calls).toHaveLength(6);
    expect(calls.every((call) => / null$/.test(call))).toBe(true);
  });

  it('takes the reason of an admission error, and calls other errors unexpected', async () => {
    const smt = admissionError('SMTAlignmentError', 'SMT Alignment Error: no');
    const failing = (error: Error) =>
      manager(
        testProvider({}, () => {
          throw error;
        }).provider,
      ).admit({ pod });
    expect(await failing(smt)).toEqual({ admit: false, reason: 'SMTAlignmentError', message: 'SMT Alignment Error: no' });
    expect(await failing(new Error('not enough cpus'))).toEqual({
      admit: false,
      reason: 'UnexpectedAdmissionError',
      message: 'Allocate failed due to not enough cpus, which is unexpected',
    });
  });

  it('forgets a hint with the last container of its name', async () => {
    const topology = manager(testProvider({ cpu: [on([1])] }).provider, { policy: 'best-effort' });
    await topology.admit({ pod });
    topology.addContainer('u1', 'a', 'c1');
    topology.addContainer('u1', 'a', 'c2');
    topology.addContainer('u1', 'b', 'c3');
    topology.removeContainer('c1');
    topology.removeContainer('c1');
    expect(topology.getAffinity('u1', 'a')).toEqual(on([1]));
    topology.removeContainer('c2');
    expect(topology.getAffinity('u1', 'a')).toEqual(on(null, false));
    expect(topology.getAffinity('u1', 'b')).toEqual(on([1]));
  });

  it('explains the last 100 pods', async () => {
    const topology = manager(testProvider({}).provider, { policy: 'best-effort' });
    for (let index = 0; index < 102; index++) {
      const each: Pod = { metadata: { name: `p${index}`, uid: `u${index}` }, spec: { containers: [{ name: 'a', image: 'i' }] } };
      await topology.admit({ pod: each });
    }
    const { pods } = topology.explain();
    expect([pods.length, pods[0]?.podUID, pods.at(-1)?.podUID]).toEqual([100, 'u2', 'u101']);
  });
});

describe('options', () => {
  const create = (options: object) => () => createTopologyManager({ topology: { numaNodes: nodes(2) }, providers: {}, ...options });

  it.each<[object, string]>([
    [{ policy: 'best' }, 'unknown policy: "best"'],
    [{ scope: 'node' }, 'unknown scope: "node"'],
    [{ policyOptions: { fast: 'true' } }, 'unknown Topology Manager Policy option: "fast"'],
    [
      { policyOptions: { 'prefer-closest-numa-nodes': 'yes' } },
      'bad value for option "prefer-closest-numa-nodes": strconv.ParseBool: parsing "yes": invalid syntax',
    ],
    [
      { policyOptions: { 'max-allowable-numa-nodes': 'x' } },
      'unable to convert policy option to integer "max-allowable-numa-nodes": strconv.Atoi: parsing "x": invalid syntax',
    ],
    [{ policyOptions: { 'max-allowable-numa-nodes': '7' } }, 'the minimum value of "max-allowable-numa-nodes" should not be less than 8'],
    [{ topology: { numaNodes: nodes(9) } }, 'unsupported on machines with more than 8 NUMA Nodes'],
    [
      { topology: { numaNodes: nodes(32) }, policyOptions: { 'max-allowable-numa-nodes': '64' } },
      'topology.numaNodes must be a list of at most 31 NUMA nodes, got 32',
    ],
    [{ providers: { cpus: {} } }, 'providers.cpus must be a TopologyHintProvider, got object'],
  ])('rejects %j', (options, message) => {
    expect(create({ policy: 'best-effort', ...options })).toThrow(
      expect.objectContaining({ code: 'InvalidOption', message: expect.stringContaining(message) }),
    );
  });

  it('checks neither policy options nor the number of NUMA nodes with the policy none', () => {
    expect(create({ policyOptions: { 'max-allowable-numa-nodes': '7' }, topology: { numaNodes: nodes(9) } })).not.toThrow();
    expect(
      create({ policy: 'restricted', policyOptions: { 'max-allowable-numa-nodes': '9' }, topology: { numaNodes: nodes(9) } }),
    ).not.toThrow();
  });
});
