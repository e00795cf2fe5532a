import { type Logger, type Metrics, NodeAgentError, systemClock, systemRandom } from '@nodeagent/api';
import { createNodeCertificates, type NodeCertificates } from '@nodeagent/core/node';
import type { ClusterConfig, KubeClient } from '@nodeagent/kube-client';
import type { ConnectKubeClientOptions } from '@nodeagent/kube-client/node';
import type { RunOptions } from './run-options.js';

type IdentityOptions = Pick<RunOptions, 'nodeName' | 'bootstrapKubeconfig' | 'certDir' | 'configuration'> & { kubeconfig: string };

/** With which kubeconfigs the node connects to the API server. */
export interface NodeIdentity {
  cluster: ClusterConfig;
  /** The cluster of certificate requests while the node has no certificate. */
  requestCluster: ClusterConfig;
}

/**
 * Reads the kubeconfig. If only the bootstrap kubeconfig is valid, prepares the kubeconfig: with `rotateCertificates` at once, else after
 * the certificate is issued, for which it waits up to an hour.
 */
export async function prepareIdentity(options: IdentityOptions, logger: Logger, signal: AbortSignal): Promise<NodeIdentity> {
  const { kubeconfig, bootstrapKubeconfig, certDir: directory, nodeName, configuration } = options;
  const { connectKubeClient, loadKubeconfig } = await import('@nodeagent/kube-client/node');
  let requestPath = kubeconfig;
  if (bootstrapKubeconfig !== undefined) {
    const { bootstrapClientCertificate, prepareTlsBootstrap } = await import('@nodeagent/certificate-manager');
    const files = { kubeconfigPath: kubeconfig, bootstrapKubeconfigPath: bootstrapKubeconfig, directory, logger };
    if (configuration.certificates.rotateCertificates) ({ requestKubeconfigPath: requestPath } = await prepareTlsBootstrap(files));
    else {
      const bootstrapClient = async (settings: Partial<ConnectKubeClientOptions> = {}) =>
        connectKubeClient({ cluster: await loadKubeconfig({ path: bootstrapKubeconfig }), logger, ...settings });
      await bootstrapClientCertificate({
        ...files,
        nodeName,
        signal,
        api: async () => (await bootstrapClient()).certificateSigningRequests,
        apiServerReady: async (waiting) => waitUntilHealthy(await bootstrapClient({ timeouts: { requestMs: 1_000 } }), waiting),
      });
    }
  }
  const cluster = await loadKubeconfig({ path: kubeconfig });
  return { cluster, requestCluster: requestPath === kubeconfig ? cluster : await loadKubeconfig({ path: requestPath }) };
}

/** Period of health checks in milliseconds, and the largest part by which it is longer. */
const [healthPeriodMs, healthJitter] = [2_000, 0.2];

async function waitUntilHealthy(client: KubeClient, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await client.raw('GET', '/healthz', { signal });
      return;
    } catch {
      await systemClock.sleep(healthPeriodMs * (1 + systemRandom() * healthJitter), signal);
    }
  }
}

/** What {@link rotatedCertificates} uses of the node's clients. */
export interface RotationClients {
  /** Sends requests with the current certificate. */
  node(): KubeClient;
  /** Sends requests without one. */
  request: KubeClient;
  closeOldConnections(): void;
  onLost(error: NodeAgentError): void;
}

/** The certificates that the agent rotates according to the configuration; undefined if there are none. */
export async function rotatedCertificates(
  { nodeName, kubeconfig, certDir: directory, configuration }: IdentityOptions,
  { cluster }: NodeIdentity,
  clients: RotationClients,
  ports: { logger: Logger; metrics?: Metrics },
): Promise<NodeCertificates | undefined> {
  const { rotateCertificates, serverTLSBootstrap } = configuration.certificates;
  if (!rotateCertificates && !serverTLSBootstrap) return undefined;
  const { kubeconfigCertificate } = await import('@nodeagent/certificate-manager');
  const bootstrap = rotateCertificates ? await kubeconfigCertificate(kubeconfig) : undefined;
  const { certFile, keyFile } = configuration.server.https?.tls ?? {};
  return createNodeCertificates({
    nodeName,
    directory,
    ...(rotateCertificates && {
      client: {
        ...certificateFiles(cluster),
        ...(bootstrap && { bootstrap }),
        api: (current) => (current ? clients.node() : clients.request).certificateSigningRequests,
        closeOldConnections: () => clients.closeOldConnections(),
        onLost: () => clients.onLost(lostError()),
      },
    }),
    ...(serverTLSBootstrap && {
      serving: { ...(certFile && keyFile && { certFile, keyFile }), api: () => clients.node().certificateSigningRequests },
    }),
    ...ports,
  });
}

function certificateFiles({ identity = {} }: ClusterConfig): { certFile?: string; keyFile?: string } {
  const { clientCertificate, clientKey } = identity;
  if (clientCertificate === undefined || clientKey === undefined || !('file' in clientCertificate && 'file' in clientKey)) return {};
  return { certFile: clientCertificate.file, keyFile: clientKey.file };
}

const lostError = () =>
  new NodeAgentError('CLIENT_CERTIFICATE_EXPIRED', 'no valid client certificate for 5 minutes, and the API server is healthy', {
    hint: 'Start the agent again with a valid --bootstrap-kubeconfig.',
  });
