import { KubeConfig } from '@kubernetes/client-node';
import type { KubeObject } from '@nodeagent/api';
import { createMemoryFiles, createMemoryPodDirs, createNodeAgent, joinCluster, type NodeAgent } from '@nodeagent/core';
import { createInProcessTransport, createKubeClient } from '@nodeagent/kube-client';
import {
  createMemoryRuntime,
  createTestApiServer,
  createVirtualClock,
  type MemoryRuntime,
  seededRandom,
  type TestApiServer,
  type VirtualClock,
} from '@nodeagent/testing';

import type { Batch } from './plan-batch.js';

/** A cluster of one node, in virtual time: an API server, a scheduler, a node agent, and containers that only pretend. */
export interface TestCluster {
  clock: VirtualClock;
  server: TestApiServer;
  runtime: MemoryRuntime;
  agent: NodeAgent;
  /** For clients of the cluster, over HTTP. */
  config: KubeConfig;
  /** A batch as the API server has it. */
  batch(name: string): Batch | undefined;
  /** Says the time since the start, such as `00:10:03`. */
  time(): string;
  stop(): Promise<void>;
}

const machine = { cpus: 4, memoryBytes: 8n << 30n, swapBytes: 0n };

export async function createTestCluster(): Promise<TestCluster> {
  // The controller talks HTTP: before time moves on it has heard everything and said what it had to say.
  const clock = createVirtualClock({ settleIO: () => server.quiet() });
  const server = createTestApiServer({ clock, random: seededRandom(1), scheduler: true });
  const url = await server.listen();
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig());

  // The node needs no socket.
  const client = createKubeClient({
    cluster: { server: url },
    transport: createInProcessTransport(server),
    clock,
    random: seededRandom(2),
  });
  const runtime = createMemoryRuntime({ clock });
  const files = createMemoryFiles();
  const agent = createNodeAgent({
    nodeName: 'node-1',
    sources: [],
    cri: { runtime: runtime.runtime, image: runtime.image },
    rootDir: '/var/lib/nodeagent',
    clock,
    random: seededRandom(3),
    settings: { resolvConf: '' },
    parts: {
      files,
      podDirs: createMemoryPodDirs(files),
      machine: { ...machine, cgroupVersion: 2, hugePageSizes: [], swapController: false, maskedPaths: [] },
    },
    cluster: await joinCluster({
      client,
      heartbeats: client,
      rootDir: '/var/lib/nodeagent',
      hostname: 'node-1',
      machine: {
        info: async () => ({
          ...machine,
          ...{ hugePages: [], ephemeralStorageBytes: 100n << 30n, machineId: 'm', systemUuid: 's', bootId: 'b' },
          ...{ kernelVersion: '6.12.0', osImage: 'Linux', operatingSystem: 'linux', architecture: 'amd64' },
        }),
      },
      network: { interfaceAddresses: () => ['192.0.2.1'], lookup: async () => ['192.0.2.1'], defaultAddress: async () => '192.0.2.1' },
    }),
  });
  const startedAt = clock.now();
  await clock.run(agent.start());
  return {
    clock,
    server,
    runtime,
    agent,
    config,
    batch: (name) => server.objects.get<Batch & KubeObject>('batches.example.com', name),
    time: () => new Date(clock.now() - startedAt).toISOString().slice(11, 19),
    async stop() {
      await clock.run(agent.stop());
      await clock.advance(10);
      await server.close();
      await clock.settle();
    },
  };
}
