import { dirname, isAbsolute, join, resolve } from 'node:path';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { defaultEvictionHard, isObject, mergePatch } from '@nodeagent/api/helpers';
import { kubeletConfigurationErrors } from './configuration-error.js';
import { decodeConfiguration } from './decode.js';
import { legacyOverrides, setDefaults } from './defaults.js';
import { kubeletConfigErrorCodes } from './errors.js';
import { unknownGates } from './feature-gates.js';
import type { KubeletConfiguration } from './fields.js';
import { type ConfigFiles, nodeConfigFiles } from './files.js';
import { configurationToJson } from './json.js';
import { parseText } from './parse-text.js';

export const kubeletConfigurationApiVersion = 'kubelet.config.k8s.io/v1beta1';
export const kubeletConfigurationKind = 'KubeletConfiguration';

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

export interface LoadedConfiguration {
  /** With defaults; not validated. */
  configuration: KubeletConfiguration;
  /** The top-level fields that the files set. */
  given: (keyof KubeletConfiguration)[];
  /** Ignored content: unknown and repeated fields, each with its file, and unknown feature gates. */
  warnings: string[];
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
  loading.warnings.push(...unknownGates(configuration.featureGates));
  const { apiVersion, kind, ...fields } = configuration;
  const given = [...loading.given].filter((field) => field in fields);
  return { configuration: fields, given, warnings: loading.warnings, skipped: loading.skipped };
}

interface Loading {
  files: ConfigFiles;
  given: Set<keyof KubeletConfiguration>;
  warnings: string[];
  skipped: string[];
}

async function loadFile(path: string, loading: Loading): Promise<KubeletConfiguration> {
  try {
    const decoded = await decodeFile(path, loading);
    return withEvictionDefaults(withAbsolutePaths(setDefaults(decoded), dirname(path)), decoded.mergeDefaultEvictionSettings === true);
  } catch (error) {
    throw prefixed(`failed to load kubelet config file, path: ${path}`, error);
  }
}

async function decodeFile(path: string, loading: Loading): Promise<KubeletConfiguration> {
  const text = await readText(path, loading.files);
  if (text.length === 0) throw kubeletConfigurationErrors([`kubelet config file "${path}" was empty`]);
  const { value, duplicates } = await parseText(text);
  const { kind, apiVersion } = typeOf(value);
  if (kind !== kubeletConfigurationKind || apiVersion !== kubeletConfigurationApiVersion) {
    throw kubeletConfigurationErrors([`no kind "${kind}" is registered for version "${apiVersion}"`]);
  }
  return decodeAndRecord(value, duplicates, path, loading);
}

/** Decodes the content of a file, and records the fields that it sets and its warnings. */
function decodeAndRecord(value: unknown, duplicates: readonly string[], path: string, { given, warnings }: Loading): KubeletConfiguration {
  const { configuration, unknownFields } = decodeConfiguration(value);
  for (const field of Object.keys(configuration)) given.add(field as keyof KubeletConfiguration);
  warnings.push(...[...duplicates, ...unknownFields].map((warning) => `${path}: ${warning}`));
  return configuration;
}

/** Subdirectories are read in the position of their name among the entries. */
async function mergeFolder(base: unknown, folder: string, loading: Loading): Promise<unknown> {
  const entries = await loading.files.list(folder).catch((cause) => {
    throw unreadable(folder, cause);
  });
  let merged = base;
  for (const { name, isFolder } of entries.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))) {
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
    const { kind, apiVersion } = typeOf(value);
    if (kind !== kubeletConfigurationKind || apiVersion !== kubeletConfigurationApiVersion) {
      throw new UnknownType(`unknown apiVersion/kind: ${apiVersion}, Kind=${kind}`);
    }
    decodeAndRecord(value, duplicates, path, loading);
    return value;
  } catch (error) {
    if (error instanceof UnknownType) throw kubeletConfigurationErrors([`${failed}, ${error.message}`]);
    throw prefixed(`${failed}, error`, error);
  }
}

class UnknownType extends Error {}

function typeOf(value: unknown): { kind: string; apiVersion: string } {
  const { kind, apiVersion } = isObject(value) ? value : {};
  if (typeof kind !== 'string' || kind === '') throw kubeletConfigurationErrors([`Object 'Kind' is missing in '${JSON.stringify(value)}'`]);
  return { kind, apiVersion: typeof apiVersion === 'string' ? apiVersion : '' };
}

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

/**
 * Without thresholds in the file the defaults apply; with `mergeDefaultEvictionSettings` the defaults fill in missing thresholds. An empty
 * map is kept.
 */
function withEvictionDefaults(config: KubeletConfiguration, merges: boolean): KubeletConfiguration {
  const { evictionHard } = config;
  if (evictionHard !== undefined && !merges) return config;
  return { ...config, evictionHard: { ...defaultEvictionHard, ...evictionHard } };
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
