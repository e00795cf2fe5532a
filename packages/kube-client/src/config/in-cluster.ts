import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { kubeClientErrorCodes } from '../errors.js';
import type { ClusterConfig, KubeconfigFiles } from './cluster-config.js';
import { nodeFiles } from './node-files.js';
import { type Environment, proxyFor } from './proxy.js';

const folder = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The cluster of the pod that this process runs in (Kubernetes docs, "Accessing the Kubernetes API from a Pod"): the API server of the
 * environment and the service account token, which is read again each minute. Rejects with `NotInCluster`.
 */
export async function inClusterConfig(options: { env?: Environment; files?: KubeconfigFiles } = {}): Promise<ClusterConfig> {
  const { env = process.env, files = nodeFiles } = options;
  const variable = (name: string) => {
    const value = env[name];
    if (value) return value;
    throw new NodeAgentError(kubeClientErrorCodes.notInCluster, `${name} is not set: the process does not run in a pod`, {
      details: { variable: name },
    });
  };
  const host = variable('KUBERNETES_SERVICE_HOST');
  const port = variable('KUBERNETES_SERVICE_PORT');
  const read = async (name: string) => {
    const file = `${folder}/${name}`;
    try {
      return await files.readFile(file);
    } catch (error) {
      throw new NodeAgentError(kubeClientErrorCodes.notInCluster, `cannot read ${file}: ${errorMessage(error)}`, { details: { file } });
    }
  };
  await read('token');
  await read('ca.crt');
  const namespace = (await read('namespace').catch(() => '')).trim();
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const proxyUrl = proxyFor(new URL(server), env);
  return {
    server,
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    certificateAuthority: { file: `${folder}/ca.crt` },
    ...(namespace === '' ? {} : { namespace }),
    identity: { tokenFile: `${folder}/token` },
  };
}
