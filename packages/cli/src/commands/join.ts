import type { Logger } from '@nodeagent/api';
import { type ClusterOptions, type ExecCredentialProviderOptions, joinCluster } from '@nodeagent/core';
import { version } from '../version.js';
import type { Reviews } from './node-server.js';
import type { RunOptions } from './run-options.js';

/** A joined cluster and its clients. */
export interface JoinedCluster {
  cluster: ClusterOptions;
  /** The API server's URL. */
  server: string;
  /** Creates service account tokens for credential plugins. */
  serviceAccounts: ExecCredentialProviderOptions['serviceAccounts'];
  /** Reviews clients of the node's HTTP API. */
  reviews: Reviews;
  /** Closes the connections. */
  close(): void;
}

/** Reads the kubeconfig and creates the node's clients, one each for heartbeats and events, which must not queue behind other requests. */
export async function join(
  kubeconfig: string,
  { nodeName, rootDir, configuration, server }: Pick<RunOptions, 'nodeName' | 'rootDir' | 'configuration' | 'server'>,
  logger: Logger,
): Promise<JoinedCluster> {
  // Loaded lazily: a bundle would load it for every command.
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
