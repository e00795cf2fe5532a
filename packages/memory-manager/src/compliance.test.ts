import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, Pod } from '@nodeagent/api';
import { createTextFile } from '@nodeagent/api/files';
import { defineSuite, type Fixture, type TopologyHintProviderSubject, topologyHintProviderSuite } from '@nodeagent/compliance';
import { describe, it } from 'vitest';
import { createMemoryManager } from './memory-manager.js';

const amounts = { one: '200Mi', tooMuch: '4Gi', none: '0' };
const numaNodes = [0, 1].map((id) => ({ id, memoryBytes: 2 ** 30, hugePages: [], distances: [10, 20] }));

function containerOf(name: string, requests: keyof typeof amounts): Container {
  const list = { cpu: '1', memory: amounts[requests] };
  return { name, image: 'i', ...(requests !== 'none' && { resources: { requests: list, limits: list } }) };
}

/** The memory manager with the policy Static on two NUMA nodes. */
async function staticPolicy(): Promise<Fixture<TopologyHintProviderSubject>> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-manager-'));
  const pods: Pod[] = [];
  const manager = createMemoryManager({
    policy: 'Static',
    topology: { numaNodes },
    reservedMemory: [{ numaNode: 0, limits: { memory: '100Mi' } }],
    nodeAllocatableReservation: { memory: '100Mi' },
    stateFile: join(folder, 'memory_manager_state'),
    store: createTextFile(join(folder, 'memory_manager_state')),
    activePods: () => pods,
  });
  await manager.start();
  return {
    subject: {
      provider: manager,
      numaNodes: [0, 1],
      resource: 'memory',
      pod(uid, requests) {
        const containers = [containerOf('a', requests), containerOf('b', requests)];
        const pod: Pod = { metadata: { name: uid, namespace: 'default', uid }, spec: { containers } };
        pods.push(pod);
        return pod;
      },
      assigned(podUID, containerName) {
        const nodes = manager.memoryNumaNodes(podUID, containerName);
        return nodes && { units: [], numaNodes: nodes };
      },
    },
    async cleanup() {
      await manager.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

describe('the memory manager keeps the promises of a', () => {
  defineSuite({ describe, it }, topologyHintProviderSuite, staticPolicy);
});
