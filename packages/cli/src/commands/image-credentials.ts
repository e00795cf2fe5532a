import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errorMessage, type Logger, NodeAgentError, systemClock } from '@nodeagent/api';
import {
  type CredentialProvider,
  createDockerConfigKeyring,
  createExecCredentialProvider,
  type ExecCredentialProviderOptions,
  parseCredentialProviderConfig,
} from '@nodeagent/core/node';
import { readYaml, type YamlDocument } from '@nodeagent/yaml';
import { badUsage, type Flag, type FlagValues, text } from '../flags.js';

/** Flags of the node's registry credentials, with the kubelet's names. */
export const imageCredentialFlags: readonly Flag[] = [
  {
    name: 'image-credential-provider-config',
    value: 'PATH',
    defaultText: 'none',
    help: 'CredentialProviderConfig of the registry credential plugins: a file, or a directory of *.json, *.yaml and *.yml.',
  },
  {
    name: 'image-credential-provider-bin-dir',
    value: 'DIR',
    defaultText: 'none',
    help: 'directory of the plugin executables.',
  },
];

/** Paths of the registry credential plugins. */
export interface CredentialPluginPaths {
  config: string;
  binDir: string;
}

/** Reads and checks the flags; undefined without them. Throws `BAD_USAGE` naming the flag. */
export function readCredentialPluginPaths(values: FlagValues): CredentialPluginPaths | undefined {
  const [config, binDir] = imageCredentialFlags.map(({ name }) => (values[name] === undefined ? undefined : resolve(text(values, name))));
  if (config === undefined && binDir === undefined) return undefined;
  if (config === undefined) throw badUsage('--image-credential-provider-bin-dir: requires --image-credential-provider-config');
  if (binDir === undefined) throw badUsage('--image-credential-provider-config: requires --image-credential-provider-bin-dir');
  return { config, binDir };
}

/** Options of {@link createImageCredentials}. */
export interface ImageCredentialsOptions {
  /** First directory searched for `config.json`. */
  rootDir: string;
  plugins: CredentialPluginPaths | undefined;
  serviceAccounts: ExecCredentialProviderOptions['serviceAccounts'];
  logger: Logger;
}

/**
 * Creates the node's credential providers in the kubelet's order: docker's `config.json`, then the plugins. Rejects with
 * `InvalidCredentialProviderConfig` naming file and field, and with `CREDENTIAL_PROVIDER_CONFIG` if a file or executable is missing.
 */
export async function createImageCredentials(options: ImageCredentialsOptions): Promise<CredentialProvider[]> {
  const { rootDir, plugins: paths, serviceAccounts, logger } = options;
  const keyring = createDockerConfigKeyring({ clock: systemClock, preferredDir: rootDir, logger });
  if (paths === undefined) return [keyring];
  const plugins = [];
  for (const file of await configFiles(paths.config)) plugins.push(...(await readPlugins(file)));
  for (const [index, { name }] of plugins.entries()) {
    if (plugins.findIndex((other) => other.name === name) < index) {
      throw unusable(paths.config, `the plugin ${name} is configured twice`);
    }
    const program = join(paths.binDir, name);
    const isProgram = await stat(program).then(
      (found) => found.isFile() && (found.mode & 0o111) !== 0,
      () => false,
    );
    if (!isProgram) throw unusable(paths.config, `the plugin ${name} is not an executable file in ${paths.binDir}`);
  }
  const provider = createExecCredentialProvider({
    plugins,
    binDir: paths.binDir,
    clock: systemClock,
    serviceAccounts,
    logger,
  });
  return [keyring, provider];
}

/** The file, or the files of the directory sorted by name. */
async function configFiles(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const files = (await readdir(path, { withFileTypes: true }))
      .filter((entry) => !entry.isDirectory() && /\.(json|ya?ml)$/.test(entry.name))
      .map(({ name }) => join(path, name))
      .sort();
    if (files.length === 0) throw new Error('no *.json, *.yaml or *.yml in it');
    return files;
  } catch (error) {
    throw unusable(path, errorMessage(error), error);
  }
}

async function readPlugins(file: string): Promise<ReturnType<typeof parseCredentialProviderConfig>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw unusable(file, `cannot be read: ${errorMessage(error)}`, error);
  }
  const value = oneDocument(file, await readYaml(text));
  try {
    return parseCredentialProviderConfig(value);
  } catch (error) {
    throw error instanceof NodeAgentError ? new NodeAgentError(error.code, `${file}: ${error.message}`, { cause: error }) : error;
  }
}

/**
 * The value of the text's only document. Messages name the position but not the content: a parser quotes the text, which may contain
 * secrets.
 */
function oneDocument(file: string, [document, ...more]: readonly YamlDocument[]): unknown {
  const { value, problem, duplicateLines = [] } = document ?? {};
  if (problem?.code === 'LIMIT') throw unusable(file, problem.message);
  if (problem) throw unusable(file, `is not valid YAML or JSON: line ${problem.line ?? '?'}: ${problem.code}`);
  if (more.length > 0) throw unusable(file, 'has more than one document');
  if (duplicateLines.length > 0) throw unusable(file, `line ${duplicateLines[0]}: the key occurs twice`);
  return value;
}

function unusable(path: string, why: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError('CREDENTIAL_PROVIDER_CONFIG', `--image-credential-provider-config ${path}: ${why}`, { cause });
}
