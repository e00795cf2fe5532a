import type { TopologyHint } from '@nodeagent/api';
import { CpuSet } from '@nodeagent/api/helpers';
import { describe, expect, it } from 'vitest';
import { allocateCpus, planCpus } from './allocate-cpus.js';
import { combinations, overwrittenCombinations } from './combinations.js';
import { podCpuHints } from './cpu-hints.js';
import { exclusivePodCpuCount } from './cpu-requests.js';
import { type CpuState, emptyCpuState, releaseCpus } from './cpu-state.js';
import { parsePolicyOptions } from './policy-options.js';
import { createStaticPolicy, type StaticPolicyInput, startState } from './static-policy.js';
import { testContainer, testPod, testTopology } from './test-topology.js';

const sidecar = { restartPolicy: 'Always' } as const;
const anywhere: TopologyHint = { numaNodes: null, preferred: false };
const policyWith = (input: Partial<StaticPolicyInput> = {}) =>
  createStaticPolicy({ topology: testTopology(2, 4), numReservedCPUs: 1, ...input });

describe('init containers', () => {
  const pod = testPod('p', [testContainer('app', '2')], [testContainer('init', '4'), testContainer('side', '2', sidecar)]);

  it('leave their CPUs to later containers, which sidecars keep', () => {
    const { containers } = planCpus(policyWith(), startState(policyWith(), emptyCpuState), pod);
    const [init, side, app] = containers.map(({ cpus }) => CpuSet.parse(cpus ?? ''));
    expect([init?.size, side?.size, app?.size]).toEqual([4, 2, 2]);
    expect(side?.isSubsetOf(init ?? CpuSet.empty)).toBe(true);
    expect(side?.intersection(app ?? CpuSet.empty).isEmpty).toBe(true);
    expect(init?.equals(side?.union(app ?? CpuSet.empty) ?? CpuSet.empty)).toBe(true);
  });

  it('count with the sidecars before them', () => {
    expect(exclusivePodCpuCount(pod)).toBe(4);
    expect(exclusivePodCpuCount(testPod('p', [testContainer('a', '1')], [testContainer('s', '2', sidecar), testContainer('i', '3')]))).toBe(
      5,
    );
  });

  it('share their CPUs until the last container of the pod is removed', () => {
    const policy = policyWith();
    let state: CpuState = startState(policy, emptyCpuState);
    for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) {
      state = allocateCpus(policy, state, pod, container, anywhere).state;
    }
    expect(state.defaultCpuSet.size).toBe(12);
    state = releaseCpus(state, 'p', 'init');
    expect(state.defaultCpuSet.size).toBe(12);
    state = releaseCpus(releaseCpus(state, 'p', 'side'), 'p', 'app');
    expect(state.defaultCpuSet.size).toBe(16);
    expect(state.assignments.size).toBe(0);
  });
});

it.each([
  ['a fraction of a CPU', testPod('p', [testContainer('c', '1500m')])],
  ['a Burstable pod', testPod('p', [{ name: 'c', image: 'i', resources: { requests: { cpu: '2' } } }])],
  [
    'pod-level resources',
    { metadata: { uid: 'p' }, spec: { containers: [testContainer('c', '2')], resources: { requests: { cpu: '2' } } } },
  ],
])('%s gets no exclusive CPUs and has no preference', (_what, pod) => {
  const policy = policyWith();
  const state = startState(policy, emptyCpuState);
  expect(planCpus(policy, state, pod).containers).toEqual([{ containerName: 'c', cpus: null }]);
  expect(podCpuHints(policy, state, pod)).toEqual({});
});

describe('start', () => {
  const policy = policyWith({ reservedSystemCPUs: CpuSet.of([0]) });
  const strict = policyWith({ reservedSystemCPUs: CpuSet.of([0]), policyOptions: { 'strict-cpu-reservation': 'true' } });
  const state = (defaults: string, assigned?: string): CpuState => ({
    defaultCpuSet: CpuSet.parse(defaults),
    assignments: new Map(assigned === undefined ? [] : [['p', new Map([['c', CpuSet.parse(assigned)]])]]),
  });

  it('accepts a state that divides the CPUs of the machine', () => {
    expect(startState(policy, state('0-3,6-15', '4-5')).defaultCpuSet.toString()).toBe('0-3,6-15');
    expect(startState(strict, emptyCpuState).defaultCpuSet.toString()).toBe('1-15');
    expect(startState(strict, state('1-3,6-15', '4-5')).assignments.size).toBe(1);
  });

  it.each([
    [policy, state('', '4-5'), 'default cpuset cannot be empty'],
    [policy, state('1-3,6-15', '4-5'), 'not all reserved cpus: "0" are present in defaultCpuSet: "1-3,6-15"'],
    [strict, state('0-3,6-15', '4-5'), 'some of strictly reserved cpus: "0" are present in defaultCpuSet: "0-3,6-15"'],
    [policy, state('0-15', '4-5'), 'pod: p, container: c cpuset: "4-5" overlaps with default cpuset "0-15"'],
    [policy, state('0-15,20'), `current set of available CPUs "0-15" doesn't match with CPUs in state "0-15,20"`],
  ])('rejects a state that does not fit (%#)', (each, restored, message) => {
    expect(() => startState(each, restored)).toThrow(message);
  });
});

describe('options', () => {
  const alpha = { CPUManagerPolicyAlphaOptions: true };

  it('parses booleans as Go does', () => {
    expect(parsePolicyOptions({ 'full-pcpus-only': 'T', 'strict-cpu-reservation': '0' })).toMatchObject({
      fullPCPUsOnly: true,
      strictCPUReservation: false,
    });
  });

  it.each<[object, object, string]>([
    [{ 'whole-cores': 'true' }, {}, 'unknown CPU Manager Policy option: "whole-cores"'],
    [{ 'full-pcpus-only': 'yes' }, {}, 'bad value for option "full-pcpus-only": strconv.ParseBool: parsing "yes": invalid syntax'],
    [{ 'align-by-socket': 'true' }, {}, 'CPU Manager Policy Alpha-level Options not enabled, but option "align-by-socket" provided'],
    [
      { 'distribute-cpus-across-numa': 'true' },
      { CPUManagerPolicyBetaOptions: false },
      'CPU Manager Policy Beta-level Options not enabled, but option "distribute-cpus-across-numa" provided',
    ],
    [
      { 'full-pcpus-only': 'true', 'distribute-cpus-across-cores': 'true' },
      alpha,
      'static policy options full-pcpus-only and distribute-cpus-across-cores can not be used at the same time',
    ],
    [
      { 'prefer-align-cpus-by-uncorecache': 'true', 'distribute-cpus-across-numa': 'true' },
      alpha,
      'static policy options prefer-align-cpus-by-uncorecache and distribute-cpus-across-numa can not be used at the same time',
    ],
  ])('rejects %j with %j', (policyOptions, featureGates, message) => {
    expect(() => policyWith({ policyOptions, featureGates })).toThrow(expect.objectContaining({ code: 'InvalidOption', message }));
  });

  it.each<[Partial<StaticPolicyInput>, string]>([
    [
      { policyOptions: { 'align-by-socket': 'true' }, featureGates: alpha, topologyManagerPolicy: 'single-numa-node' },
      'Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option',
    ],
    [
      {
        policyOptions: { 'align-by-socket': 'true' },
        featureGates: alpha,
        topology: { cpus: testTopology(2, 4).cpus.map((cpu) => ({ ...cpu, numaNode: 0 })) },
      },
      'Align by socket is not compatible with hardware where number of sockets are more than number of NUMA',
    ],
    [{ numReservedCPUs: 0 }, '[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero'],
    [{ reservedSystemCPUs: CpuSet.of([0, 1]) }, '[cpumanager] unable to reserve the required amount of CPUs (size of 0-1 did not equal 1)'],
  ])('rejects a policy that does not fit the machine (%#)', (input, message) => {
    expect(() => policyWith(input)).toThrow(expect.objectContaining({ code: 'InvalidOption', message }));
  });
});

describe('combinations', () => {
  it('come in lexicographic order', () => {
    expect([...combinations([1, 2, 3, 4], 2)].map(String)).toEqual(['1,2', '1,3', '1,4', '2,3', '2,4', '3,4']);
    expect([...combinations([1, 2], 3)]).toEqual([]);
  });

  it('that are overwritten have the same values when they come, and end as the last one with their head', () => {
    const seen: string[] = [];
    const kept: number[][] = [];
    for (const each of overwrittenCombinations([1, 2, 3, 4, 5, 6], 4)) {
      seen.push(String(each));
      kept.push(each);
    }
    expect(seen).toEqual([...combinations([1, 2, 3, 4, 5, 6], 4)].map(String));
    expect(String(kept[0])).toBe('1,2,3,6');
    expect([...overwrittenCombinations([1, 2, 3, 4], 3)].map(String)).toEqual(['1,2,3', '1,2,4', '1,3,4', '2,3,4']);
  });
});
