import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@nodeagent/api';
import { createTextFile } from '@nodeagent/api/files';
import { defineSuite, type Fixture, type TopologyHintProviderSubject, topologyHintProviderSuite } from '@nodeagent/compliance';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createCpuManager } from './cpu-manager.js';
import { testContainer, testPod, testTopology } from './test-topology.js';

const amounts = { one: '2', tooMuch: '64', none: '100m' };

/** The CPU manager with the static policy on two sockets with four cores each. */
async function staticPolicy(): Promise<Fixture<TopologyHintProviderSubject>> {
  const folder = mkdtempSync(join(tmpdir(), 'cpu-manager-'));
  const topology = testTopology(2, 4);
  const pods: Pod[] = [];
  const manager = createCpuManager({
    policy: 'static',
    topology,
    nodeAllocatableReservation: { cpu: '1' },
    stateFile: join(folder, 'cpu_manager_state'),
    store: createTextFile(join(folder, 'cpu_manager_state')),
    activePods: () => pods,
    podStatus: () => undefined,
    updateContainerCpuset: async () => {},
    clock: createVirtualClock(),
  });
  await manager.start();
  return {
    subject: {
      provider: manager,
      numaNodes: [0, 1],
      resource: 'cpu',
      pod(uid, requests) {
        const pod = testPod(uid, [testContainer('a', amounts[requests]), testContainer('b', amounts[requests])]);
        pods.push(pod);
        return pod;
      },
      assigned(podUID, containerName) {
        const units = Array.from(manager.getExclusiveCpus(podUID, containerName));
        if (units.length === 0) return undefined;
        const numaNodes = new Set(topology.cpus.filter(({ cpu }) => units.includes(cpu)).map(({ numaNode }) => numaNode));
        return { units: units.map(String), numaNodes: [...numaNodes].sort() };
      },
    },
    async cleanup() {
      await manager.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

describe('the CPU manager keeps the promises of a', () => {
  defineSuite({ describe, it }, topologyHintProviderSuite, staticPolicy);
});
