import { delimiter, dirname, join } from 'node:path';
import { errorCode, errorMessage } from '@nodeagent/api';
import type { ClusterConfig, KubeconfigFiles } from './cluster-config.js';
import { clusterOfContext } from './cluster-of-context.js';
import { mergeKubeconfigs, readKubeconfig } from './kubeconfig-entries.js';
import { kubeconfigError } from './kubeconfig-error.js';
import { nodeFiles } from './node-files.js';
import { parseKubeconfig } from './parse-kubeconfig.js';
import type { Environment } from './proxy.js';

export interface LoadKubeconfigOptions {
  /** The file. Default: the merged files of `KUBECONFIG`, else `.kube/config` in the home folder. */
  path?: string;
  /** The content of a kubeconfig, instead of a file; paths are relative to the working folder. */
  text?: string;
  /** Default: the file's `current-context`. */
  context?: string;
  /** Provides `KUBECONFIG`, `HOME`, `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. Default `process.env`. */
  env?: Environment;
  files?: KubeconfigFiles;
}

/**
 * Loads a cluster from a kubeconfig (Kubernetes docs, "Organizing Cluster Access Using kubeconfig Files"). The client reads certificate
 * and token files later. Rejects with `InvalidKubeconfig`, which names file and field.
 */
export async function loadKubeconfig(options: LoadKubeconfigOptions = {}): Promise<ClusterConfig> {
  const { path, text, context, env = process.env, files = nodeFiles } = options;
  if (text !== undefined) return parseKubeconfig(text, { context, env, folder: process.cwd() });
  const paths = path === undefined ? defaultPaths(env) : [path];
  const configs = [];
  for (const file of paths) {
    const content = await read(files, file, paths.length > 1);
    if (content !== undefined) configs.push(await readKubeconfig(content, { file, folder: dirname(file) }));
  }
  const file = paths.join(delimiter);
  if (configs.length === 0) throw kubeconfigError(file, '', 'cannot be read: there is no such file');
  return clusterOfContext(mergeKubeconfigs(configs), { file, context, env });
}

function defaultPaths({ KUBECONFIG = '', HOME = '' }: Environment): string[] {
  const named = KUBECONFIG.split(delimiter).filter((file) => file !== '');
  return named.length > 0 ? named : [join(HOME, '.kube', 'config')];
}

/** If there are several files, some may be missing. */
async function read(files: KubeconfigFiles, file: string, mayBeMissing: boolean): Promise<string | undefined> {
  try {
    return await files.readFile(file);
  } catch (error) {
    if (mayBeMissing && errorCode(error) === 'ENOENT') return undefined;
    throw kubeconfigError(file, '', `cannot be read: ${errorMessage(error)}`);
  }
}
