import type { Logger } from '@nodeagent/api';
import { type ClusterOptions, type ExecCredentialProviderOptions, joinCluster } from '@nodeagent/core';
import { version } from '../version.js';
import type { Reviews } from './node-server.js';
import type { RunOptions } from './run-options.js';

/** A cluster to join. */
export interface JoinedCluster {
  cluster: ClusterOptions;
  /** The API server's URL. */
  server: string;
  /** For plugins that need a service account's token. */
  serviceAccounts: ExecCredentialProviderOptions['serviceAccounts'];
  /** Asks it about clients of the node's HTTP API. */
  reviews: Reviews;
  /** Cuts the connections. */
  close(): void;
}

/** Reads the kubeconfig and makes the clients of a node: heartbeats wait for nothing else, and nothing for events. */
export async function join(
  kubeconfig: string,
  { nodeName, rootDir, configuration, server }: Pick<RunOptions, 'nodeName' | 'rootDir' | 'configuration' | 'server'>,
  logger: Logger,
): Promise<JoinedCluster> {
  // Here, not above: a bundle would load it for every command.
  const { createKubeClient, loadKubeconfig } = await import('@nodeagent/kube-client');
  const config = await loadKubeconfig({ path: kubeconfig });
  const common = { cluster: config, userAgent: `nodeagent/${version}`, logger };
  const client = createKubeClient(common);
  const heartbeats = createKubeClient({ ...common, qps: 0, timeouts: { requestMs: 10_000 } });
  const { events } = createKubeClient({ ...common, qps: 0 });
  return {
    cluster: await joinCluster({
      client,
      heartbeats,
      events,
      rootDir,
      hostname: nodeName,
      ...configuration.cluster,
      settings: { ...configuration.cluster.settings, ...(server?.port !== undefined && { port: server.port }) },
    }),
    server: config.server,
    serviceAccounts: client.serviceAccounts,
    reviews: client,
    close() {
      client.closeConnections();
      heartbeats.closeConnections();
    },
  };
}
