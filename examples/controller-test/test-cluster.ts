import { KubeConfig } from '@kubernetes/client-node';
import type { KubeObject } from '@nodeagent/api';
import { createTestCluster, type TestCluster } from '@nodeagent/test-cluster';
import type { Batch } from './plan-batch.js';

/** A cluster of one node for a controller that talks HTTP: before time moves on it has heard everything and said what it had to say. */
export interface BatchCluster extends TestCluster {
  /** For clients of the cluster. */
  config: KubeConfig;
  /** A batch as the API server has it. */
  batch(name: string): Batch | undefined;
  /** Says the time since the start, such as `00:10:03`. */
  time(): string;
}

export async function createBatchCluster(): Promise<BatchCluster> {
  const cluster = await createTestCluster();
  const { server, clock } = cluster;
  await server.listen();
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig());
  const startedAt = clock.now();
  return {
    ...cluster,
    config,
    batch: (name) => server.objects.get<Batch & KubeObject>('batches.example.com', name),
    time: () => new Date(clock.now() - startedAt).toISOString().slice(11, 19),
  };
}
