import { isObject } from '@nodeagent/api/helpers';
import { readYaml } from '@nodeagent/yaml';
import { type ConfigOrigin, type ConfigReader, createConfigReader } from './config-reader.js';
import { kubeconfigError } from './kubeconfig-error.js';

/** The entries of a kubeconfig by name (Kubernetes docs, "kubeconfig (v1)"). */
export interface Kubeconfig {
  currentContext?: string;
  clusters: Map<string, ConfigReader>;
  users: Map<string, ConfigReader>;
  contexts: Map<string, ConfigReader>;
}

/** Reads a kubeconfig in YAML or JSON. Throws `InvalidKubeconfig`. */
export async function readKubeconfig(text: string, origin: ConfigOrigin): Promise<Kubeconfig> {
  const value = await parseText(text, origin);
  if (!isObject(value)) throw kubeconfigError(origin.file, '', 'is not a kubeconfig');
  const config = createConfigReader(value, origin);
  const [apiVersion, kind] = [config.text('apiVersion') ?? 'v1', config.text('kind') ?? 'Config'];
  if (apiVersion !== 'v1') throw config.fail('apiVersion', 'must be v1');
  if (kind !== 'Config') throw config.fail('kind', 'must be Config');
  const currentContext = config.text('current-context');
  return {
    ...(currentContext === undefined ? {} : { currentContext }),
    clusters: entries(config, 'clusters', 'cluster'),
    users: entries(config, 'users', 'user'),
    contexts: entries(config, 'contexts', 'context'),
  };
}

/** Merges kubeconfigs as kubectl does: the first entry of a name wins. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const currentContext = configs.find((config) => config.currentContext !== undefined)?.currentContext;
  const merge = (part: 'clusters' | 'users' | 'contexts') => new Map(configs.toReversed().flatMap((config) => [...config[part]]));
  return {
    ...(currentContext === undefined ? {} : { currentContext }),
    clusters: merge('clusters'),
    users: merge('users'),
    contexts: merge('contexts'),
  };
}

function entries(config: ConfigReader, list: string, part: string): Map<string, ConfigReader> {
  const found = new Map<string, ConfigReader>();
  for (const entry of config.list(list)) {
    const name = entry.requiredText('name');
    const content = entry.object(part);
    if (content === undefined) throw entry.fail(part, 'is missing');
    if (!found.has(name)) found.set(name, content);
  }
  return found;
}

/** Errors name the position, never the content: parsers quote the invalid text, which may be a secret. */
async function parseText(text: string, { file }: ConfigOrigin): Promise<unknown> {
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text);
    } catch {
      throw kubeconfigError(file, '', 'is not valid JSON');
    }
  }
  const [document, ...more] = await readYaml(text);
  const [duplicateLine] = document?.duplicateLines ?? [];
  const { problem } = document ?? {};
  if (problem?.code === 'ENCODING') throw kubeconfigError(file, '', 'is UTF-16, not UTF-8', 'save the file as UTF-8');
  if (problem?.code === 'LIMIT') throw kubeconfigError(file, '', `exceeds a limit: ${problem.message}`);
  if (problem) throw kubeconfigError(file, '', `is not valid YAML: line ${problem.line ?? '?'}: ${problem.code}`);
  if (more.length > 0) throw kubeconfigError(file, '', 'is not valid YAML: MULTIPLE_DOCS');
  if (duplicateLine !== undefined) throw kubeconfigError(file, '', `is not valid YAML: line ${duplicateLine}: DUPLICATE_KEY`);
  return document?.value;
}
