import type { Container, TopologyHint } from '@nodeagent/api';
import { CpuSet, isSidecar } from '@nodeagent/api/helpers';
import { seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { allocateCpus } from './allocate-cpus.js';
import { assignableContainers, exclusivePodCpuCount } from './cpu-requests.js';
import { type CpuState, emptyCpuState, exclusiveCpusOf } from './cpu-state.js';
import { reuseInitCpus } from './reuse-init-cpus.js';
import { createStaticPolicy, startState } from './static-policy.js';
import { testContainer, testPod, testTopology } from './test-topology.js';

const policy = createStaticPolicy({ topology: testTopology(2, 4), numReservedCPUs: 1 });
const start = startState(policy, emptyCpuState);
const sidecar = { restartPolicy: 'Always' } as const;
const anywhere: TopologyHint = { numaNodes: null, preferred: false };
const onNode = (node: number): TopologyHint => ({ numaNodes: [node], preferred: true });

function allocateAll(containers: Container[], initContainers: Container[], hints: Record<string, TopologyHint> = {}) {
  const pod = testPod('p', containers, initContainers);
  let state: CpuState = start;
  for (const container of assignableContainers(pod)) {
    state = allocateCpus(policy, state, pod, container, hints[container.name] ?? anywhere).state;
  }
  return { pod, allocated: state, reused: reuseInitCpus(policy, state, pod) };
}
const cpusOf = (state: CpuState, name: string) => exclusiveCpusOf(state, 'p', name) ?? CpuSet.empty;

it('moves init containers, the last one first, into the CPUs of what starts after them', () => {
  const { reused } = allocateAll([testContainer('main', '2')], [testContainer('a', '1'), testContainer('b', '3')]);
  expect(cpusOf(reused, 'a').isSubsetOf(cpusOf(reused, 'b'))).toBe(true);
  expect(cpusOf(reused, 'main').isSubsetOf(cpusOf(reused, 'b'))).toBe(true);
  expect(reused.defaultCpuSet.size).toBe(13);
});

it('keeps an init container on its NUMA node, and off the CPUs of the sidecars that run beside it', () => {
  const apart = allocateAll([testContainer('main', '2')], [testContainer('init', '1')], { init: onNode(0), main: onNode(1) });
  expect(apart.reused).toBe(apart.allocated);
  const beside = allocateAll([testContainer('main', '2')], [testContainer('side', '2', sidecar), testContainer('init', '1')]);
  expect(cpusOf(beside.reused, 'init').isSubsetOf(cpusOf(beside.reused, 'main'))).toBe(true);
  expect(cpusOf(beside.reused, 'init').intersection(cpusOf(beside.reused, 'side')).isEmpty).toBe(true);
});

it('makes a pod on one NUMA node hold what its containers need at one time, whatever they request', () => {
  const seed = Date.now() % 1_000_000;
  const random = seededRandom(seed);
  const amount = () => `${1 + Math.floor(random() * 2)}`;
  for (let round = 0; round < 300; round++) {
    const inits = Array.from({ length: Math.floor(random() * 4) }, (_, index) =>
      testContainer(`i${index}`, amount(), random() < 0.4 ? sidecar : {}),
    );
    const mains = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, index) => testContainer(`m${index}`, amount()));
    const hints = Object.fromEntries([...inits, ...mains].map(({ name }) => [name, onNode(1)]));
    const { pod, allocated, reused } = allocateAll(mains, inits, hints);
    const held = policy.cpus.difference(reused.defaultCpuSet);
    const what = `seed ${seed}, round ${round}`;
    expect(held.size, what).toBeLessThanOrEqual(policy.cpus.difference(allocated.defaultCpuSet).size);
    if (!inits.some((each) => isSidecar(each))) expect(held.size, what).toBe(exclusivePodCpuCount(pod));
    for (const { name } of assignableContainers(pod)) expect(cpusOf(reused, name).size, what).toBe(cpusOf(allocated, name).size);
    expect(reuseInitCpus(policy, reused, pod), what).toBe(reused);
  }
});
