import assert from 'node:assert/strict';
import type { Container, Pod, TopologyHint, TopologyHintProvider, TopologyHints } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { Suite } from '../suite/suite.js';

/** What a container has of the resource. */
export interface AssignedResource {
  /** The NUMA nodes that it comes from, ascending; empty if they are unknown. */
  numaNodes: readonly number[];
  /** The names of the assigned units, such as CPUs or ids of devices; empty for an amount, such as memory. */
  units: readonly string[];
}

/** A provider under test, and a machine with at least two NUMA nodes, each of which can provide `one` twice. */
export interface TopologyHintProviderSubject {
  provider: TopologyHintProvider;
  /** The NUMA nodes of the machine, ascending. */
  numaNodes: readonly number[];
  /** The resource that `one` and `tooMuch` request. */
  resource: string;
  /**
   * An active pod with the containers `a` and `b`: each requests as much as one NUMA node can provide twice (`one`), more than the whole
   * machine has (`tooMuch`), or nothing of the resource (`none`).
   */
  pod(uid: string, requests: 'one' | 'tooMuch' | 'none'): Pod;
  /** What the container has; undefined if it has nothing. */
  assigned(podUID: string, containerName: string): AssignedResource | undefined;
}

const anyNode: TopologyHint = { numaNodes: null, preferred: false };

function containerOf(pod: Pod, name: string): Container {
  const found = pod.spec?.containers.find((each) => each.name === name);
  assert.ok(found, `the pod has a container ${name}`);
  return found;
}

/** The hints for the subject's resource. */
function hintsFor({ resource }: TopologyHintProviderSubject, hints: TopologyHints): readonly TopologyHint[] {
  const list = hints[resource];
  assert.ok(list !== undefined && list !== null && list.length > 0, `has hints for ${resource}`);
  return list;
}

/** Each hint names NUMA nodes of the machine, once and ascending, and some hint is preferred. */
function checkHints(subject: TopologyHintProviderSubject, hints: readonly TopologyHint[]): void {
  for (const { numaNodes, preferred } of hints) {
    assert.equal(typeof preferred, 'boolean');
    if (numaNodes === null) continue;
    assert.ok(numaNodes.length > 0, 'a hint has NUMA nodes, or null');
    for (const [index, node] of numaNodes.entries()) {
      assert.ok(subject.numaNodes.includes(node), `the machine has no NUMA node ${node}`);
      assert.ok(index === 0 || node > (numaNodes[index - 1] ?? node), `not ascending: ${numaNodes}`);
    }
  }
  const fewest = Math.min(...hints.map(({ numaNodes }) => numaNodes?.length ?? subject.numaNodes.length));
  for (const { numaNodes, preferred } of hints) {
    if (preferred) assert.equal(numaNodes?.length ?? subject.numaNodes.length, fewest, 'a preferred hint has the fewest NUMA nodes');
  }
  assert.ok(
    hints.some(({ preferred }) => preferred),
    'a machine without pods has a preferred hint',
  );
}

/** The promises of `TopologyHintProvider` of `@nodeagent/api`. */
export const topologyHintProviderSuite: Suite<TopologyHintProviderSubject> = {
  name: 'TopologyHintProvider',
  cases: [
    {
      name: 'has well-formed hints for a container and for a pod',
      async run(subject) {
        const pod = subject.pod('u1', 'one');
        checkHints(subject, hintsFor(subject, subject.provider.getTopologyHints(pod, containerOf(pod, 'a'))));
        checkHints(subject, hintsFor(subject, subject.provider.getPodTopologyHints(pod)));
      },
    },
    {
      name: 'prefers each NUMA node that can provide the resource alone',
      async run(subject) {
        const pod = subject.pod('u1', 'one');
        const hints = hintsFor(subject, subject.provider.getTopologyHints(pod, containerOf(pod, 'a')));
        const preferred = hints.filter((hint) => hint.preferred).map(({ numaNodes }) => numaNodes);
        assert.deepEqual(
          preferred,
          subject.numaNodes.map((node) => [node]),
        );
      },
    },
    {
      name: 'assigns nothing for hints',
      async run(subject) {
        const { provider, assigned } = subject;
        const pod = subject.pod('u1', 'one');
        const first = provider.getTopologyHints(pod, containerOf(pod, 'a'));
        const ofPod = provider.getPodTopologyHints(pod);
        assert.deepEqual(provider.getTopologyHints(pod, containerOf(pod, 'a')), first);
        assert.deepEqual(provider.getPodTopologyHints(pod), ofPod);
        assert.equal(assigned('u1', 'a'), undefined);
      },
    },
    {
      name: 'has no hints for a container that requests nothing, and assigns it nothing',
      async run({ provider, resource, assigned, ...subject }) {
        const pod = subject.pod('u1', 'none');
        assert.equal(provider.getTopologyHints(pod, containerOf(pod, 'a'))[resource] ?? null, null);
        assert.equal(provider.getPodTopologyHints(pod)[resource] ?? null, null);
        await provider.allocate(pod, containerOf(pod, 'a'), anyNode);
        assert.equal(assigned('u1', 'a'), undefined);
      },
    },
    {
      name: 'names no NUMA nodes if the machine has too little',
      async run({ provider, resource, ...subject }) {
        const pod = subject.pod('u1', 'tooMuch');
        assert.deepEqual(provider.getTopologyHints(pod, containerOf(pod, 'a'))[resource] ?? [], []);
      },
    },
    {
      name: 'assigns the resource from the NUMA nodes of the hint',
      async run(subject) {
        for (const node of subject.numaNodes) {
          const pod = subject.pod(`u${node}`, 'one');
          await subject.provider.allocate(pod, containerOf(pod, 'a'), { numaNodes: [node], preferred: true });
          assert.deepEqual(subject.assigned(podUid(pod), 'a')?.numaNodes, [node]);
        }
      },
    },
    {
      name: 'assigns the resource without NUMA nodes in the hint',
      async run(subject) {
        const pod = subject.pod('u1', 'one');
        await subject.provider.allocate(pod, containerOf(pod, 'a'), anyNode);
        assert.ok(subject.assigned('u1', 'a'), 'the container has the resource');
      },
    },
    {
      name: 'lets a container keep what it has when it is allocated again',
      async run({ provider, numaNodes, assigned, ...subject }) {
        const pod = subject.pod('u1', 'one');
        const [first = 0] = numaNodes;
        const last = numaNodes.at(-1) ?? 0;
        await provider.allocate(pod, containerOf(pod, 'a'), { numaNodes: [last], preferred: true });
        const before = assigned('u1', 'a');
        await provider.allocate(pod, containerOf(pod, 'a'), { numaNodes: [first], preferred: true });
        assert.deepEqual(assigned('u1', 'a'), before);
      },
    },
    {
      name: 'assigns no unit to two containers',
      async run({ provider, assigned, ...subject }) {
        const units: string[] = [];
        for (const pod of [subject.pod('u1', 'one'), subject.pod('u2', 'one')]) {
          for (const name of ['a', 'b']) {
            await provider.allocate(pod, containerOf(pod, name), anyNode);
            units.push(...(assigned(podUid(pod), name)?.units ?? []));
          }
        }
        assert.deepEqual([...new Set(units)].sort(), units.sort());
      },
    },
    {
      name: 'rejects what it cannot assign, and changes nothing',
      async run({ provider, assigned, ...subject }) {
        const small = subject.pod('u1', 'one');
        const large = subject.pod('u2', 'tooMuch');
        await provider.allocate(small, containerOf(small, 'a'), anyNode);
        const before = assigned('u1', 'a');
        await assert.rejects(provider.allocate(large, containerOf(large, 'a'), anyNode), (error) => error instanceof Error);
        assert.equal(assigned('u2', 'a'), undefined);
        assert.deepEqual(assigned('u1', 'a'), before);
        await provider.allocate(small, containerOf(small, 'b'), anyNode);
        assert.ok(assigned('u1', 'b'), 'the next container gets the resource');
      },
    },
  ],
};
