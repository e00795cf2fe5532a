import { systemClock } from '@nodeagent/api';
import { createTestCluster, keepPace } from '@nodeagent/test-cluster';
import type { ClusterServer, ServerOptions } from './cluster-server.js';

/** An API server with nodes, whose virtual clock follows real time. */
export async function createCluster(server: ServerOptions, nodes: number): Promise<ClusterServer> {
  const cluster = await createTestCluster({ nodes, server, traceLimit: 0, start: systemClock.now() });
  const end = new AbortController();
  const paced = keepPace(cluster.clock, { signal: end.signal });
  return {
    server: cluster.server,
    async close() {
      end.abort();
      await paced;
      await cluster.stop();
    },
  };
}
