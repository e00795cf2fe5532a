import type { Logger, Metrics } from '@nodeagent/api';
import { type ClusterOptions, type ExecCredentialProviderOptions, joinCluster } from '@nodeagent/core/node';
import type { TlsSourceOptions } from '@nodeagent/server';
import { version } from '../version.js';
import { prepareIdentity, rotatedCertificates } from './node-identity.js';
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
  /** The certificate of the node's HTTP API; absent if the agent does not request one. */
  servingCertificate?: TlsSourceOptions['certificate'];
  /** Rejects when the agent must exit because it has no valid client certificate. */
  lost: Promise<never>;
  /** Closes the connections. */
  close(): void;
}

/** What the clients of a node use of the command. */
export interface JoinPorts {
  logger: Logger;
  /** Default: none. */
  metrics?: Metrics;
  /** Aborts a wait for the first client certificate. */
  signal: AbortSignal;
}

type JoinOptions = Pick<RunOptions, 'nodeName' | 'rootDir' | 'configuration' | 'server' | 'bootstrapKubeconfig' | 'certDir'>;

/** Reads the kubeconfig and creates the node's clients, one each for heartbeats and events, which must not queue behind other requests. */
export async function join(kubeconfig: string, options: JoinOptions, { logger, metrics, signal }: JoinPorts): Promise<JoinedCluster> {
  // Loaded lazily: a bundle would load it for every command.
  const { connectKubeClient } = await import('@nodeagent/kube-client/node');
  const { nodeName, rootDir, configuration, server } = options;
  const identity = await prepareIdentity({ ...options, kubeconfig }, logger, signal);
  const lost = createLost();
  const request = connectKubeClient({ cluster: identity.requestCluster, userAgent: `nodeagent/${version}`, logger });
  const certificates = await rotatedCertificates(
    { ...options, kubeconfig },
    identity,
    { node: () => client, request, closeOldConnections: () => closeOldConnections(), onLost: lost.reject },
    { logger, ...(metrics && { metrics }) },
  );
  const common = {
    cluster: identity.cluster,
    userAgent: `nodeagent/${version}`,
    logger,
    ...(certificates && configuration.certificates.rotateCertificates && { clientCertificate: certificates.client }),
  };
  const client = connectKubeClient(common);
  const heartbeats = connectKubeClient({ ...common, qps: 0, timeouts: { requestMs: 10_000 } });
  const events = connectKubeClient({ ...common, qps: 0 });
  const clients = [client, heartbeats, events];
  const close = () => {
    for (const each of clients) each.closeConnections();
  };
  const closeOldConnections = () => {
    for (const each of clients)
      each.closeOldConnections().catch((err) => logger.warn({ err }, 'cannot use the rotated client certificate'));
  };
  return {
    cluster: await joinCluster({
      client,
      heartbeats,
      events: events.events,
      certificates,
      rootDir,
      hostname: nodeName,
      ...configuration.cluster,
      settings: { ...configuration.cluster.settings, ...(server?.https?.port !== undefined && { port: server.https.port }) },
    }),
    server: identity.cluster.server,
    serviceAccounts: client.serviceAccounts,
    reviews: client,
    ...(certificates && configuration.certificates.serverTLSBootstrap && { servingCertificate: certificates.serving }),
    lost: lost.promise,
    close,
  };
}

/** A promise that only rejects. */
function createLost(): { promise: Promise<never>; reject(error: Error): void } {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_resolve, rejectPromise) => {
    reject = rejectPromise;
  });
  promise.catch(() => {});
  return { promise, reject };
}
