import { resolve } from 'node:path';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import type { AgentConfiguration } from '@nodeagent/core/node';
import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import { badUsage, type Flag, readFlags, text } from '../flags.js';

export const configFlags: readonly Flag[] = [
  {
    name: 'config',
    value: 'FILE',
    defaultText: 'none',
    help: "a kubelet's configuration file, KubeletConfiguration v1beta1; flags override it. Unsupported fields are logged as a warning.",
  },
  {
    name: 'config-dir',
    value: 'DIR',
    defaultText: 'none',
    help: 'directory of drop-in files NAME.conf, merged in the order of their names.',
  },
];

/** The merged content of `--config` and `--config-dir`. */
export interface LoadedConfigFiles {
  /** Name of the files in errors: `--config FILE --config-dir DIR`. */
  name: string;
  /** The configuration with defaults. */
  configuration: KubeletConfiguration;
  /** The fields that the files set. */
  given: readonly (keyof KubeletConfiguration)[];
  /** The files as options of an agent. */
  options: AgentConfiguration;
  warnings: string[];
}

/** The files of `--config` and `--config-dir`, absolute. */
export interface ConfigPaths {
  config?: string;
  configDir?: string;
}

/** The merged content of the files, before it becomes options. */
export interface ReadConfigFiles extends Omit<LoadedConfigFiles, 'options'> {
  /** Files of the directory that do not end in `.conf`. */
  skipped: string[];
  /** The errors for which a kubelet refuses to start. */
  problems: string[];
}

/** Reads and validates the files. Rejects if one cannot be read or decoded. */
export async function readConfigFiles({ config, configDir }: ConfigPaths): Promise<ReadConfigFiles> {
  // Loaded lazily: a bundle would load it for every command.
  const { validateKubeletConfiguration } = await import('@nodeagent/kubelet-config');
  const { loadKubeletConfiguration } = await import('@nodeagent/kubelet-config/node');
  const loaded = await loadKubeletConfiguration({ ...(config && { config }), ...(configDir && { configDir }) });
  const name = [config && `--config ${config}`, configDir && `--config-dir ${configDir}`].filter(Boolean).join(' ');
  return { name, ...loaded, problems: [...new Set(validateKubeletConfiguration(loaded.configuration))] };
}

/** The files as options of an agent. Throws `BAD_USAGE` naming the files for a value that the agent cannot convert. */
export async function convertConfigFiles({ name, configuration, given, warnings }: ReadConfigFiles): Promise<LoadedConfigFiles> {
  const { agentOptionsFrom } = await import('@nodeagent/core/kubelet-configuration');
  try {
    const { ignored, ...options } = agentOptionsFrom(configuration, given);
    const unsupported = ignored.length > 0 ? [`unsupported configuration fields are ignored: ${ignored.join(', ')}`] : [];
    return { name, configuration, given, options, warnings: [...warnings, ...unsupported] };
  } catch (error) {
    throw badUsage(`${name}: ${errorMessage(error)}`, error);
  }
}

/**
 * Loads and validates the files of `--config` and `--config-dir`; undefined without these flags. Rejects where a kubelet would refuse to
 * start.
 */
export async function loadConfigFiles(flags: readonly Flag[], args: readonly string[]): Promise<LoadedConfigFiles | undefined> {
  const values = readFlags(flags, args);
  if (values.config === undefined && values['config-dir'] === undefined) return undefined;
  const config = values.config === undefined ? undefined : resolve(text(values, 'config'));
  const configDir = values['config-dir'] === undefined ? undefined : resolve(text(values, 'config-dir'));
  const read = await readConfigFiles({ ...(config && { config }), ...(configDir && { configDir }) });
  const { problems } = read;
  if (problems.length > 0) {
    const shown = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
    throw new NodeAgentError(
      'INVALID_CONFIGURATION',
      `failed to validate kubelet configuration, error: ${shown}, path: ${config ?? configDir}`,
    );
  }
  return convertConfigFiles(read);
}
