import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { readYaml } from '@nodeagent/yaml';
import { certificateManagerErrorCodes } from './errors.js';

/** The members of a kubeconfig's cluster that the bootstrapped kubeconfig keeps. */
export interface KubeconfigCluster {
  server: string;
  'insecure-skip-tls-verify'?: boolean;
  /** A path. */
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
}

/** A PEM text of a kubeconfig, inline or as the path of a file. */
export type KubeconfigPem = { data: string } | { file: string };

/** The current context of a kubeconfig, with absolute paths. */
export interface Kubeconfig {
  cluster: KubeconfigCluster;
  clientCertificate: KubeconfigPem | undefined;
  clientKey: KubeconfigPem | undefined;
}

/** Reads a kubeconfig, but not the files that it names. Rejects with `InvalidKubeconfig`, which quotes none of the content. */
export async function readKubeconfig(path: string): Promise<Kubeconfig> {
  const invalid = (problem: string, cause?: unknown) =>
    new NodeAgentError(certificateManagerErrorCodes.invalidKubeconfig, `the kubeconfig ${path} is invalid: ${problem}`, {
      details: { path },
      cause,
    });
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw invalid(errorMessage(cause), cause);
  });
  const [document] = await readYaml(text);
  if (document?.problem !== undefined) throw invalid(`syntax error in line ${document.problem.line}`);
  const config = objectOf(document?.value);
  const named = (list: string, member: string, name: unknown): Record<string, unknown> => {
    const entries = Array.isArray(config[list]) ? config[list].map(objectOf) : [];
    const found = entries.find((entry) => entry.name === name);
    if (found === undefined) throw invalid(`there is no ${member} ${JSON.stringify(name)}`);
    return objectOf(found[member]);
  };
  const context = named('contexts', 'context', config['current-context']);
  const cluster = named('clusters', 'cluster', context.cluster);
  const user = named('users', 'user', context.user);
  const pathOf = (value: unknown) => (typeof value === 'string' && value !== '' ? resolve(dirname(path), value) : undefined);
  const pemOf = (name: string): KubeconfigPem | undefined => {
    const [encoded, file] = [user[`${name}-data`], pathOf(user[name])];
    if (typeof encoded === 'string' && encoded !== '') return { data: Buffer.from(encoded, 'base64').toString() };
    return file === undefined ? undefined : { file };
  };
  const { server, 'certificate-authority-data': data } = cluster;
  if (typeof server !== 'string' || server === '') throw invalid('the cluster has no server');
  const authority = pathOf(cluster['certificate-authority']);
  return {
    cluster: {
      server,
      ...(cluster['insecure-skip-tls-verify'] === true && { 'insecure-skip-tls-verify': true }),
      ...(authority !== undefined && { 'certificate-authority': authority }),
      ...(authority === undefined && typeof data === 'string' && { 'certificate-authority-data': data }),
    },
    clientCertificate: pemOf('client-certificate'),
    clientKey: pemOf('client-key'),
  };
}

/**
 * The kubeconfig that the kubelet writes after a bootstrap. It names the file of the current certificate, so that it stays right after each
 * rotation.
 *
 * @param pairPath the absolute path of `kubelet-client-current.pem`
 */
export function bootstrappedKubeconfig(cluster: KubeconfigCluster, pairPath: string): string {
  const lines = Object.entries(cluster)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `    ${name}: ${yamlScalar(value)}`);
  return `apiVersion: v1
clusters:
- cluster:
${lines.join('\n')}
  name: default-cluster
contexts:
- context:
    cluster: default-cluster
    namespace: default
    user: default-auth
  name: default-context
current-context: default-context
kind: Config
users:
- name: default-auth
  user:
    client-certificate: ${yamlScalar(pairPath)}
    client-key: ${yamlScalar(pairPath)}
`;
}

/** Paths, URLs and base64 without quotes, as the kubelet writes them. */
const yamlScalar = (value: string | boolean) =>
  typeof value === 'string' && /^(\/|https?:\/\/|LS0t)[\w./:+=-]*[\w/=]$/.test(value) ? value : JSON.stringify(value);

const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
