import type { Clock, Logger, Metrics, NodeAddress, Random } from '@nodeagent/api';
import { type CertificateManager, createCertificateManager } from './certificate-manager.js';
import type { CertificatePair } from './certificate-pair.js';
import type { CertificateStore } from './certificate-store.js';
import { clientTemplate, servingTemplate } from './certificate-template.js';
import { createCertificateFileStore } from './file-store.js';
import { kubernetesSigner, type SigningRequestApi } from './kubernetes-signer.js';

interface NodeCertificateOptions {
  nodeName: string;
  /** The folder of certificates; the kubelet's is `/var/lib/kubelet/pki`. */
  directory: string;
  /** Files to start with until a rotation stores a certificate. Default: `kubelet-client.crt` and `.key`, or those of `kubelet-server`. */
  certFile?: string;
  keyFile?: string;
  /** Keeps the certificate and its key. Default: the kubelet's files in `directory`. */
  store?: CertificateStore;
  /** The API with the identity of this certificate; without one, with that of the bootstrap. Called for each request. */
  api(current: CertificatePair | undefined): SigningRequestApi;
  /** The requested lifetime. Default: the signer decides. */
  expirationSeconds?: number;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  metrics?: Metrics;
}

/** Options of {@link createClientCertificateManager}. */
export interface ClientCertificateManagerOptions extends NodeCertificateOptions {
  /** The client certificate of the kubeconfig, if it is inline: it is stored and rotated at once. Default: none. */
  bootstrap?: CertificatePair;
}

/** Options of {@link createServingCertificateManager}. */
export interface ServingCertificateManagerOptions extends NodeCertificateOptions {
  /** The addresses that the Node reports. After a change call `refreshTemplate`. */
  addresses(): readonly NodeAddress[];
}

/** The certificate with which a node authenticates to the API server, in the kubelet's files `kubelet-client-*.pem`. Throws `InvalidOption`. */
export function createClientCertificateManager(options: ClientCertificateManagerOptions): CertificateManager {
  const { nodeName, bootstrap, ...rest } = options;
  return createNodeCertificateManager('client', rest, { template: () => clientTemplate(nodeName), ...(bootstrap && { bootstrap }) });
}

/** The certificate of a node's HTTP API (`serverTLSBootstrap`), in the kubelet's files `kubelet-server-*.pem`. Throws `InvalidOption`. */
export function createServingCertificateManager(options: ServingCertificateManagerOptions): CertificateManager {
  const { nodeName, addresses, ...rest } = options;
  return createNodeCertificateManager('serving', rest, { template: () => servingTemplate(nodeName, addresses()) });
}

function createNodeCertificateManager(
  role: 'client' | 'serving',
  options: Omit<NodeCertificateOptions, 'nodeName'>,
  own: Pick<Parameters<typeof createCertificateManager>[0], 'template' | 'bootstrap'>,
): CertificateManager {
  const { directory, certFile, keyFile, store, api, expirationSeconds, clock, ...ports } = options;
  const prefix = role === 'client' ? 'kubelet-client' : 'kubelet-server';
  return createCertificateManager({
    ...own,
    ...ports,
    clock,
    role,
    store:
      store ??
      createCertificateFileStore({
        directory,
        prefix,
        ...(certFile && { certFile }),
        ...(keyFile && { keyFile }),
        clock,
      }),
    requestCertificate: kubernetesSigner({
      role,
      api,
      expirationSeconds,
      logger: ports.logger,
    }),
  });
}
