import { KubeConfig } from '@kubernetes/client-node';
import type { KubeObject } from '@nodeagent/api';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { createTestCluster, type TestCluster } from '@nodeagent/test-cluster';
import type { Batch } from './plan-batch.js';

/** A cluster of one node for a controller that uses HTTP: virtual time advances only while no request is pending. */
export interface BatchCluster extends TestCluster {
  /** Kubeconfig for clients of the cluster. */
  config: KubeConfig;
  /** The batch in the API server. */
  batch(name: string): Batch | undefined;
  /** Time since the start, such as `00:10:03`. */
  time(): string;
}

export async function createBatchCluster(): Promise<BatchCluster> {
  const cluster = await createTestCluster({ server: { network: machineNetwork } });
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
