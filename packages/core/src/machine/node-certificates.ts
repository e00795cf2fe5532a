import {
  type Clock,
  createRunLoop,
  type Logger,
  type Metrics,
  type NodeAddress,
  type Random,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import type { CertificateManager, CertificatePair, CertificateStore, SigningRequestApi } from '@nodeagent/certificate-manager';
import type { NodeCertificates } from '../cluster/node-certificates.js';

/** The files that a rotation starts with, and where it keeps certificates. */
interface StoredFiles {
  certFile?: string;
  keyFile?: string;
  /** Default: the kubelet's files in `directory`. */
  store?: CertificateStore;
}

/** Options of {@link createNodeCertificates}. */
export interface NodeCertificatesOptions {
  nodeName: string;
  /** The folder of certificates; the kubelet's is `/var/lib/kubelet/pki`. */
  directory: string;
  /** Absent: the client certificate is not rotated (`rotateCertificates`). */
  client?: StoredFiles & {
    /** The API with the identity of the current certificate; without one, with that of the bootstrap. */
    api(current: CertificatePair | undefined): SigningRequestApi;
    /** The client certificate inside the kubeconfig. Default: none. */
    bootstrap?: CertificatePair;
    /** Ends the connections with the previous certificate: the next ones use the new one. */
    closeOldConnections(): void;
    /** The agent must exit: for 5 minutes it has had no valid certificate, and the API server is healthy. */
    onLost(): void;
  };
  /** Absent: the serving certificate is not requested (`serverTLSBootstrap`). */
  serving?: StoredFiles & { api(): SigningRequestApi };
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  metrics?: Metrics;
}

/** How often a missing client certificate is checked, and an existing one at least; in milliseconds. */
const [missingCheckMs, maxCheckMs] = [10_000, 30 * 60_000];

/** Creates the {@link NodeCertificates} with `@nodeagent/certificate-manager`, which only agents that rotate certificates load. */
export async function createNodeCertificates(options: NodeCertificatesOptions): Promise<NodeCertificates> {
  const [managers, { shouldExitWithoutCertificate }] = await Promise.all([
    import('@nodeagent/certificate-manager'),
    import('@nodeagent/certificate-manager/decisions'),
  ]);
  const { client: clientOptions, serving: servingOptions, ...common } = options;
  const { clock = systemClock, logger = silentLogger } = options;
  let addresses: readonly NodeAddress[] = [];
  const serving = servingOptions && managers.createServingCertificateManager({ ...common, ...servingOptions, addresses: () => addresses });
  const client = clientOptions && createClient(clientOptions);
  const created = [client?.manager, serving].filter((manager) => manager !== undefined);

  function createClient({ closeOldConnections, onLost, ...rest }: NonNullable<NodeCertificatesOptions['client']>) {
    const manager = managers.createClientCertificateManager({ ...common, ...rest });
    manager.onRotation(() => {
      logger.info('Certificate rotation detected, shutting down client connections to start using new credentials');
      closeOldConnections();
    });
    return { manager, watch: createRunLoop((signal) => watchClient(manager, onLost, signal).catch(() => {})) };
  }

  /** Resolves once the agent must exit; rejects when the signal aborts. */
  async function watchClient(manager: CertificateManager, onLost: () => void, signal: AbortSignal): Promise<void> {
    for (let lastAvailableAt = clock.now(); ; ) {
      const { notAfter = 0 } = manager.current()?.facts ?? {};
      const leftMs = notAfter - clock.now();
      await clock.sleep(leftMs > 0 ? Math.min(leftMs, maxCheckMs) : missingCheckMs, signal);
      const now = clock.now();
      lastAvailableAt = Math.max(lastAvailableAt, Math.min(now, notAfter));
      const { isServerHealthy } = manager;
      if (manager.current() !== undefined) continue;
      if (shouldExitWithoutCertificate({ lastAvailableAt, now, isServerHealthy })) return onLost();
    }
  }

  return {
    async start(signal) {
      for (const manager of created) await manager.start(signal);
      await client?.watch.start(signal);
    },
    async stop() {
      await client?.watch.stop();
      await Promise.all(created.map((manager) => manager.stop()));
    },
    client: () => client?.manager.current(),
    serving: () => serving?.current(),
    setAddresses(changed) {
      addresses = changed;
      serving?.refreshTemplate();
    },
    explain: () => ({
      ...(client && { client: client.manager.explain() }),
      ...(serving && { serving: serving.explain() }),
    }),
  };
}
