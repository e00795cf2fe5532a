import type { ClusterConfig } from './cluster-config.js';
import { clusterOfContext } from './cluster-of-context.js';
import { readKubeconfig } from './kubeconfig-entries.js';
import type { Environment } from './proxy.js';

/** Options of {@link parseKubeconfig}. */
export interface ParseKubeconfigOptions {
  /** Default: the text's `current-context`. */
  context?: string | undefined;
  /** Provides `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. Default: none of them. */
  env?: Environment;
  /** The folder of relative paths in the text. Default `/`. */
  folder?: string;
}

/**
 * Reads a cluster from the text of a kubeconfig (Kubernetes docs, "Organizing Cluster Access Using kubeconfig Files"), YAML or JSON. Rejects
 * with `InvalidKubeconfig`, which names the field.
 */
export async function parseKubeconfig(text: string, options: ParseKubeconfigOptions = {}): Promise<ClusterConfig> {
  const { context, env = {}, folder = '/' } = options;
  const file = 'kubeconfig';
  return clusterOfContext(await readKubeconfig(text, { file, folder }), { file, context, env });
}
