import type { Clock, Logger, Metrics } from '@nodeagent/api';
import type { CertificateManager } from '@nodeagent/certificate-manager';
import type { JoinedCluster } from './join.js';
import type { RunOptions } from './run-options.js';

export interface ServingCertificateInput {
  options: Pick<RunOptions, 'nodeName' | 'server' | 'certificates'>;
  joined: Pick<JoinedCluster, 'signingRequests' | 'addresses' | 'onAddresses'>;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** Starts the rotation of the certificate of the HTTP API (`serverTLSBootstrap`), for the addresses that the Node reports. */
export async function startServingCertificate({ options, joined, ...ports }: ServingCertificateInput): Promise<CertificateManager> {
  // Loaded lazily: most nodes do not use it.
  const { createServingCertificateManager } = await import('@nodeagent/certificate-manager');
  const manager = createServingCertificateManager({
    nodeName: options.nodeName,
    directory: options.certificates.certDir,
    ...options.server?.tlsFiles,
    addresses: joined.addresses,
    api: () => joined.signingRequests,
    ...ports,
  });
  joined.onAddresses(() => manager.refreshTemplate());
  await manager.start();
  return manager;
}
