import { type Clock, type Logger, type Metrics, NodeAgentError, systemRandom } from '@nodeagent/api';
import type { CertificateManager, CertificatePair } from '@nodeagent/certificate-manager';
import type { ClusterConfig, KubeClient } from '@nodeagent/kube-client';
import type { CertificateRunOptions } from './certificate-flags.js';

/** The cluster to join, and the node's identity in it. */
export interface NodeIdentity {
  /** With the identity of the kubeconfig unless there is a `certificate`. */
  cluster: ClusterConfig;
  /** The rotated client certificate; absent without `rotateCertificates`. */
  certificate?: CertificateManager;
}

export interface NodeIdentityInput {
  kubeconfig: string;
  certificates: Pick<CertificateRunOptions, 'bootstrapKubeconfig' | 'rotateCertificates' | 'certDir'>;
  nodeName: string;
  userAgent: string;
  clock: Clock;
  logger: Logger;
  metrics?: Metrics;
  signal: AbortSignal;
}

/**
 * Reads the kubeconfig, for which a node that has only the credentials of a bootstrap first requests a certificate: without rotation that
 * takes up to an hour.
 */
export async function nodeIdentity(input: NodeIdentityInput): Promise<NodeIdentity> {
  const { kubeconfig, certificates } = input;
  if (certificates.rotateCertificates) return rotatedIdentity(input);
  if (certificates.bootstrapKubeconfig !== undefined) await bootstrapOnce(input, certificates.bootstrapKubeconfig);
  const { loadKubeconfig } = await import('@nodeagent/kube-client');
  return { cluster: await loadKubeconfig({ path: kubeconfig }) };
}

async function bootstrapOnce(input: NodeIdentityInput, bootstrapKubeconfigPath: string): Promise<void> {
  const { kubeconfig: kubeconfigPath, certificates, nodeName, userAgent, clock, logger, signal } = input;
  const [{ bootstrapClientCertificate }, { createKubeClient, loadKubeconfig }] = await packages();
  const cluster = await loadKubeconfig({ path: bootstrapKubeconfigPath });
  const client = createKubeClient({ cluster, userAgent, logger, timeouts: { requestMs: healthzTimeoutMs } });
  try {
    await bootstrapClientCertificate({
      kubeconfigPath,
      bootstrapKubeconfigPath,
      directory: certificates.certDir,
      nodeName,
      api: createKubeClient({ cluster, userAgent, logger }).certificateSigningRequests,
      apiServerReady: (until) => untilHealthy(client, clock, until),
      clock,
      logger,
      signal,
    });
  } finally {
    client.closeConnections();
  }
}

/** The kubelet's timeout of a request to /healthz and pause between two, in milliseconds. */
const [healthzTimeoutMs, healthzPeriodMs] = [1_000, 2_000];

async function untilHealthy(client: KubeClient, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await client.raw('GET', '/healthz', { signal });
      return;
    } catch {
      signal.throwIfAborted();
    }
    await clock.sleep(healthzPeriodMs * (1 + 0.2 * systemRandom()), signal);
  }
}

async function rotatedIdentity(input: NodeIdentityInput): Promise<NodeIdentity> {
  const { kubeconfig, certificates, nodeName, userAgent, clock, logger, metrics, signal } = input;
  const { bootstrapKubeconfig, certDir: directory } = certificates;
  const [{ createClientCertificateManager, kubeconfigCertificate, prepareTlsBootstrap }, { createKubeClient, loadKubeconfig }] =
    await packages();
  const { requestKubeconfigPath } =
    bootstrapKubeconfig === undefined
      ? { requestKubeconfigPath: kubeconfig }
      : await prepareTlsBootstrap({ kubeconfigPath: kubeconfig, bootstrapKubeconfigPath: bootstrapKubeconfig, directory, clock, logger });
  const cluster = await loadKubeconfig({ path: kubeconfig });
  const { clientCertificate: cert, clientKey: key } = cluster.identity ?? {};
  const bootstrap = await kubeconfigCertificate(kubeconfig);
  const bootstrapClient = createKubeClient({ cluster: await loadKubeconfig({ path: requestKubeconfigPath }), userAgent, logger });
  const nodeClient = createKubeClient({ cluster, userAgent, logger, clientCertificate: () => certificate.current() });
  const api = (current: CertificatePair | undefined) => (current === undefined ? bootstrapClient : nodeClient).certificateSigningRequests;
  const certificate: CertificateManager = createClientCertificateManager({
    nodeName,
    directory,
    api,
    ...(bootstrap && { bootstrap }),
    ...(cert && 'file' in cert && key && 'file' in key && { certFile: cert.file, keyFile: key.file }),
    clock,
    logger,
    ...(metrics && { metrics }),
  });
  certificate.onRotation(() => void nodeClient.closeOldConnections().catch(() => {}));
  await certificate.start(signal);
  return { cluster, certificate };
}

// Loaded lazily: most nodes use neither.
const packages = () => Promise.all([import('@nodeagent/certificate-manager'), import('@nodeagent/kube-client')]);

/** How often a missing certificate is looked for, and the longest wait for its expiry, in milliseconds. */
const [missingPeriodMs, longestWaitMs] = [10_000, 30 * 60_000];

/**
 * Rejects with `CLIENT_CERTIFICATE_LOST` when the node has had no valid client certificate for 5 minutes although the API server responds, as
 * the kubelet exits then: its next start bootstraps again. Waits for the expiry of the certificate, and does nothing until then.
 */
export async function untilCertificateLost(
  certificate: Pick<CertificateManager, 'current' | 'isServerHealthy' | 'explain'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<never> {
  const { shouldExitWithoutCertificate } = await import('@nodeagent/certificate-manager/decisions');
  let lastAvailableAt = clock.now();
  for (;;) {
    const expiresAt = certificate.current()?.facts.notAfter;
    const now = clock.now();
    if (expiresAt !== undefined) lastAvailableAt = expiresAt;
    else if (shouldExitWithoutCertificate({ lastAvailableAt, now, isServerHealthy: certificate.isServerHealthy })) break;
    await clock.sleep(expiresAt === undefined ? missingPeriodMs : Math.min(expiresAt - now + 1, longestWaitMs), signal);
  }
  throw new NodeAgentError('CLIENT_CERTIFICATE_LOST', `no valid client certificate for 5 minutes: ${certificate.explain().message}`, {
    hint: 'start the agent again, with --bootstrap-kubeconfig if the certificate is expired',
  });
}
