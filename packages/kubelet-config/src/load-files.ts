import { dirname, isAbsolute, join, resolve } from 'node:path';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { compareUtf8, mergePatch } from '@nodeagent/api/helpers';
import { kubeletConfigurationErrors } from './configuration-error.js';
import { decodeConfiguration } from './decode.js';
import { configurationOf, decodeAndRecord, decodeText, type Recorded, typeOf, withEvictionDefaults } from './decode-text.js';
import { legacyOverrides, setDefaults } from './defaults.js';
import { kubeletConfigErrorCodes } from './errors.js';
import type { KubeletConfiguration } from './fields.js';
import { type ConfigFiles, nodeConfigFiles } from './files.js';
import { configurationToJson } from './json.js';
import type { ParsedConfiguration } from './parse.js';
import { parseText } from './parse-text.js';

export interface LoadOptions {
  /**
   * The configuration file (`--config`). Default: none, and the defaults of a kubelet without a file apply, which allow anonymous clients.
   */
  config?: string;
  /** The directory of drop-in files (`--config-dir`), merged over the file: names ending in `.conf`, in their order. Default: none. */
  configDir?: string;
  /** Default: the node's file system. */
  files?: ConfigFiles;
}

export interface LoadedConfiguration extends ParsedConfiguration {
  /** Files of the directory that do not end in `.conf`. */
  skipped: string[];
}

/**
 * Loads a kubelet's configuration as `--config` and `--config-dir` do: defaults, then the file, then the drop-in files as RFC 7386 merge
 * patches, then defaults again. Rejects with `KubeletConfigurationUnreadable` or `InvalidKubeletConfiguration`, naming the file.
 */
export async function loadKubeletConfiguration(options: LoadOptions): Promise<LoadedConfiguration> {
  const { config, configDir, files = nodeConfigFiles } = options;
  const loading: Loading = { files, given: new Set(), warnings: [], skipped: [] };
  let configuration = config === undefined ? setDefaults(legacyOverrides) : await loadFile(resolve(config), loading);
  if (configDir !== undefined) {
    const folder = resolve(configDir);
    const merged = await mergeFolder(configurationToJson(configuration), folder, loading).catch((error) => {
      throw prefixed(`failed to walk through kubelet dropin directory "${folder}"`, error);
    });
    configuration = setDefaults(decodeConfiguration(merged).configuration);
  }
  return { ...configurationOf(configuration, loading), skipped: loading.skipped };
}

interface Loading extends Recorded {
  files: ConfigFiles;
  skipped: string[];
}

async function loadFile(path: string, loading: Loading): Promise<KubeletConfiguration> {
  try {
    const decoded = await decodeText(await readText(path, loading.files), path, loading);
    return withAbsolutePaths(withEvictionDefaults(setDefaults(decoded), decoded.mergeDefaultEvictionSettings), dirname(path));
  } catch (error) {
    throw prefixed(`failed to load kubelet config file, path: ${path}`, error);
  }
}

/** Subdirectories are read in the position of their name among the entries. */
async function mergeFolder(base: unknown, folder: string, loading: Loading): Promise<unknown> {
  const entries = await loading.files.list(folder).catch((cause) => {
    throw unreadable(folder, cause);
  });
  let merged = base;
  for (const { name, isFolder } of entries.sort((a, b) => compareUtf8(a.name, b.name))) {
    const path = join(folder, name);
    if (isFolder) merged = await mergeFolder(merged, path, loading);
    else if (name.endsWith('.conf')) merged = mergePatch(merged, await readDropIn(path, loading));
    else loading.skipped.push(path);
  }
  return merged;
}

async function readDropIn(path: string, loading: Loading): Promise<unknown> {
  const failed = `failed to load kubelet dropin file, path: ${path}`;
  try {
    const { value, duplicates } = await parseText(await readText(path, loading.files));
    const { kind, apiVersion, isKnown } = typeOf(value);
    if (!isKnown) throw new UnknownType(`unknown apiVersion/kind: ${apiVersion}, Kind=${kind}`);
    decodeAndRecord(value, duplicates, path, loading);
    return value;
  } catch (error) {
    if (error instanceof UnknownType) throw kubeletConfigurationErrors([`${failed}, ${error.message}`]);
    throw prefixed(`${failed}, error`, error);
  }
}

class UnknownType extends Error {}

/** Paths in the file are relative to its directory. */
function withAbsolutePaths(config: KubeletConfiguration, folder: string): KubeletConfiguration {
  const from = (path: string | undefined) => (path === undefined || path === '' || isAbsolute(path) ? path : join(folder, path));
  const resolved: KubeletConfiguration = { ...config };
  for (const name of ['staticPodPath', 'podLogsDir', 'volumePluginDir', 'tlsCertFile', 'tlsPrivateKeyFile', 'resolvConf'] as const) {
    const path = from(config[name]);
    if (path !== undefined) resolved[name] = path;
  }
  const { clientCAFile } = config.authentication?.x509 ?? {};
  if (clientCAFile) resolved.authentication = { ...config.authentication, x509: { clientCAFile: from(clientCAFile) ?? '' } };
  return resolved;
}

async function readText(path: string, files: ConfigFiles): Promise<string> {
  try {
    return await files.readText(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): NodeAgentError {
  return new NodeAgentError(kubeletConfigErrorCodes.configurationUnreadable, errorMessage(cause), { details: { path }, cause });
}

/** The same error with a prefix that names the failed action. */
function prefixed(what: string, error: unknown): NodeAgentError {
  const { code = kubeletConfigErrorCodes.invalidConfiguration, details = {} } = error as Partial<NodeAgentError>;
  return new NodeAgentError(code, `${what}: ${errorMessage(error)}`, { details, cause: error });
}
