import { join, resolve } from 'node:path';
import type { ConfiguredCertificates } from '@nodeagent/core/kubelet-configuration';
import { badUsage, bool, type Flag, type FlagValues, setting, text } from '../flags.js';

/** Flags of the node's certificates, with the kubelet's names. */
export const certificateFlags: readonly Flag[] = [
  {
    name: 'bootstrap-kubeconfig',
    value: 'FILE',
    defaultText: 'none',
    help: 'credentials with which the node requests its client certificate, such as a bootstrap token. They are used if --kubeconfig is missing or its certificate is expired, and --kubeconfig is then written.',
  },
  {
    name: 'rotate-certificates',
    value: 'BOOL',
    default: 'false',
    help: 'whether to request another client certificate before the current one expires. With it, the agent also starts before the first one is issued.',
  },
  {
    name: 'rotate-server-certificates',
    value: 'BOOL',
    default: 'false',
    help: 'whether to request the certificate of --port from the API server, and another one before it expires or when the addresses of the Node change. An administrator approves the requests.',
  },
  { name: 'cert-dir', value: 'DIR', defaultText: 'ROOT-DIR/pki', help: 'directory of the certificates that the node requests or creates.' },
];

/** The certificates that the node requests. */
export interface CertificateRunOptions extends Required<ConfiguredCertificates> {
  bootstrapKubeconfig?: string;
  certDir: string;
}

/** Reads the settings that a configuration file has too. Throws `BAD_USAGE` naming the flag. */
export function readCertificateConfiguration(values: FlagValues): ConfiguredCertificates {
  return {
    ...setting(values, 'rotate-certificates', 'rotateCertificates', bool),
    ...setting(values, 'rotate-server-certificates', 'serverTLSBootstrap', bool),
  };
}

/**
 * The checked options of the certificates. A configuration file applies to nodes of a cluster only. Throws `BAD_USAGE` naming a flag that
 * requires `--kubeconfig`.
 */
export function certificateRunOptions(
  { rotateCertificates = false, serverTLSBootstrap = false }: ConfiguredCertificates,
  { values, given, rootDir, inCluster }: { values: FlagValues; given: FlagValues; rootDir: string; inCluster: boolean },
): CertificateRunOptions {
  const names = ['bootstrap-kubeconfig', 'rotate-certificates', 'rotate-server-certificates'];
  const alone = names.find((name) => given[name] !== undefined);
  if (!inCluster && alone !== undefined) throw badUsage(`--${alone}: requires --kubeconfig`);
  return {
    rotateCertificates: inCluster && rotateCertificates,
    serverTLSBootstrap: inCluster && serverTLSBootstrap,
    ...(values['bootstrap-kubeconfig'] !== undefined && { bootstrapKubeconfig: resolve(text(values, 'bootstrap-kubeconfig')) }),
    certDir: values['cert-dir'] === undefined ? join(rootDir, 'pki') : resolve(text(values, 'cert-dir')),
  };
}
