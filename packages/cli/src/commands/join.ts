import type { Clock, Logger, Metrics, NodeAddress } from '@nodeagent/api';
import type { CertificateManager, SigningRequestApi } from '@nodeagent/certificate-manager';
import { type ClusterOptions, type ExecCredentialProviderOptions, joinCluster } from '@nodeagent/core';
import { version } from '../version.js';
import { nodeIdentity } from './node-identity.js';
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
  /** The rotated client certificate; absent if it is not rotated. */
  certificate?: CertificateManager;
  /** Requests certificates. */
  signingRequests: SigningRequestApi;
  /** The addresses of the Node; empty before it has some. */
  addresses(): readonly NodeAddress[];
  /** Calls the listener after each change of the addresses. */
  onAddresses(listener: () => void): void;
  /** Stops the rotation and closes the connections. */
  close(): Promise<void>;
}

/** Ports of {@link join}. The signal ends the wait for a first client certificate. */
export interface JoinPorts {
  clock: Clock;
  logger: Logger;
  metrics?: Metrics;
  signal: AbortSignal;
}

export type JoinOptions = Pick<RunOptions, 'nodeName' | 'rootDir' | 'configuration' | 'server' | 'certificates'>;

/** Reads the kubeconfig and creates the node's clients, one each for heartbeats and events, which must not queue behind other requests. */
export async function join(
  kubeconfig: string,
  { nodeName, rootDir, configuration, server, certificates }: JoinOptions,
  ports: JoinPorts,
): Promise<JoinedCluster> {
  // Loaded lazily: a bundle would load it for every command.
  const { createKubeClient } = await import('@nodeagent/kube-client');
  const { logger } = ports;
  const userAgent = `nodeagent/${version}`;
  const { cluster: config, certificate } = await nodeIdentity({ ...ports, kubeconfig, certificates, nodeName, userAgent });
  const common = { cluster: config, userAgent, logger, ...(certificate && { clientCertificate: () => certificate.current() }) };
  const client = createKubeClient(common);
  const heartbeats = createKubeClient({ ...common, qps: 0, timeouts: { requestMs: 10_000 } });
  const recorder = createKubeClient({ ...common, qps: 0 });
  const clients = [client, heartbeats, recorder];
  certificate?.onRotation(() => {
    logger.info('Certificate rotation detected, shutting down client connections to start using new credentials');
    for (const each of clients)
      each.closeOldConnections().catch((err) => logger.warn({ err }, 'cannot use the rotated client certificate'));
  });
  let addresses: readonly NodeAddress[] = [];
  const listeners = new Set<() => void>();
  return {
    cluster: await joinCluster({
      client,
      heartbeats,
      events: recorder.events,
      rootDir,
      hostname: nodeName,
      onAddresses(changed) {
        addresses = changed;
        for (const listener of listeners) listener();
      },
      ...configuration.cluster,
      settings: { ...configuration.cluster.settings, ...(server?.port !== undefined && { port: server.port }) },
    }),
    server: config.server,
    serviceAccounts: client.serviceAccounts,
    reviews: client,
    ...(certificate && { certificate }),
    signingRequests: client.certificateSigningRequests,
    addresses: () => addresses,
    onAddresses: (listener) => void listeners.add(listener),
    async close() {
      await certificate?.stop();
      for (const each of clients) each.closeConnections();
    },
  };
}
