import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, errorCode, invalidOption, type Logger, silentLogger, systemClock } from '@nodeagent/api';
import { replaceFile } from '@nodeagent/api/files';
import { type CertificatePair, parseCertificateChain, parseCertificatePair } from './certificate-pair.js';
import { bootstrappedKubeconfig, type KubeconfigPem, readKubeconfig } from './kubeconfig.js';
import { isUnexpired } from './rotation-deadline.js';

/** The files of a TLS bootstrap. */
export interface BootstrapFilesOptions {
  /** `--kubeconfig`. */
  kubeconfigPath: string;
  /** `--bootstrap-kubeconfig`. */
  bootstrapKubeconfigPath: string;
  /** The folder of certificates; the kubelet's is `/var/lib/kubelet/pki`. */
  directory: string;
  clock?: Clock;
  logger?: Logger;
}

/** The kubeconfigs to use after {@link prepareTlsBootstrap}. */
export interface PreparedBootstrap {
  /** The kubeconfig of the client that has no certificate yet: that of the bootstrap, or the node's own if its certificates are valid. */
  requestKubeconfigPath: string;
  /** Whether the kubeconfig was written; it is usable once the client certificate manager has a certificate. */
  isBootstrap: boolean;
}

/**
 * Prepares a node that may have only the credentials of a bootstrap, without waiting for a certificate: if the kubeconfig is missing or its
 * client certificate is expired, writes the kubeconfig with `kubelet-client-current.pem`, which a client certificate manager then requests.
 * Rejects with `InvalidKubeconfig` if the kubeconfig of the bootstrap is needed and invalid.
 */
export async function prepareTlsBootstrap(options: BootstrapFilesOptions): Promise<PreparedBootstrap> {
  const { kubeconfigPath, bootstrapKubeconfigPath, directory, clock = systemClock, logger = silentLogger } = options;
  for (const [field, path] of Object.entries({ kubeconfigPath, bootstrapKubeconfigPath, directory })) {
    if (typeof path !== 'string' || path === '') throw invalidOption(field, 'a path', path);
  }
  if (await isKubeconfigValid(kubeconfigPath, clock.now(), logger)) return { requestKubeconfigPath: kubeconfigPath, isBootstrap: false };
  await writeBootstrappedKubeconfig(options);
  return { requestKubeconfigPath: bootstrapKubeconfigPath, isBootstrap: true };
}

/** Writes the kubeconfig with the cluster of the bootstrap and the certificate in the folder, in a file that only its owner can read. */
export async function writeBootstrappedKubeconfig(
  options: Pick<BootstrapFilesOptions, 'kubeconfigPath' | 'bootstrapKubeconfigPath' | 'directory'>,
): Promise<void> {
  const { cluster } = await readKubeconfig(options.bootstrapKubeconfigPath);
  const pairPath = join(resolve(options.directory), 'kubelet-client-current.pem');
  await replaceFile(options.kubeconfigPath, bootstrappedKubeconfig(cluster, pairPath));
}

/** Whether all client certificates of a kubeconfig are unexpired. False for one without certificates. */
export async function isKubeconfigValid(path: string, now: number, logger: Logger): Promise<boolean> {
  if (!(await exists(path))) return false;
  try {
    const { clientCertificate, clientKey } = await readKubeconfig(path);
    const [cert, key] = await Promise.all([textOf(clientCertificate), textOf(clientKey)]);
    parseCertificatePair(cert, key);
    const isValid = parseCertificateChain(cert).every((facts) => isUnexpired(facts, now));
    if (!isValid) logger.warn({ path }, 'the client certificate of the kubeconfig expired, using the bootstrap kubeconfig');
    return isValid;
  } catch (error) {
    logger.warn({ path, err: error }, 'the kubeconfig has no usable client certificate, using the bootstrap kubeconfig');
    return false;
  }
}

/**
 * The client certificate that a kubeconfig contains, for the option `bootstrap` of a client certificate manager; undefined if it names files or
 * has none. Rejects with `InvalidKubeconfig` or `CertificateUnusable`.
 */
export async function kubeconfigCertificate(path: string): Promise<CertificatePair | undefined> {
  const { clientCertificate, clientKey } = await readKubeconfig(path);
  if (clientCertificate === undefined || 'file' in clientCertificate) return undefined;
  return parseCertificatePair(clientCertificate.data, await textOf(clientKey));
}

async function textOf(pem: KubeconfigPem | undefined): Promise<string> {
  if (pem === undefined) return '';
  return 'data' in pem ? pem.data : readFile(pem.file, 'utf8');
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
