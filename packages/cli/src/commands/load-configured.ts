import { resolve } from 'node:path';
import { NodeAgentError } from '@nodeagent/api';
import { type Flag, readFlags, text } from '../flags.js';
import type { Configured } from './configured.js';

export const configFlags: readonly Flag[] = [
  {
    name: 'config',
    value: 'FILE',
    defaultText: 'none',
    help: "a kubelet's configuration file, KubeletConfiguration v1beta1; flags win over it. What nothing honours yet is told in a warning.",
  },
  {
    name: 'config-dir',
    value: 'DIR',
    defaultText: 'none',
    help: 'folder of files NAME.conf that change the configuration, in the order of their names.',
  },
];

/** What configuration files say, and what is to be said of them. */
export interface LoadedConfigured {
  configured: Configured;
  warnings: string[];
}

/** Loads and validates what `--config` and `--config-dir` name; undefined without them. Rejects as a kubelet that does not start. */
export async function loadConfigured(flags: readonly Flag[], args: readonly string[]): Promise<LoadedConfigured | undefined> {
  const values = readFlags(flags, args);
  if (values.config === undefined && values['config-dir'] === undefined) return undefined;
  // Here, not above: a bundle would load it for every command.
  const { loadKubeletConfiguration, validateKubeletConfiguration } = await import('@nodeagent/kubelet-config');
  const { configuredBy } = await import('./configured.js');
  const config = values.config === undefined ? undefined : resolve(text(values, 'config'));
  const configDir = values['config-dir'] === undefined ? undefined : resolve(text(values, 'config-dir'));
  const { configuration, given, warnings } = await loadKubeletConfiguration({ ...(config && { config }), ...(configDir && { configDir }) });
  const problems = [...new Set(validateKubeletConfiguration(configuration))];
  if (problems.length > 0) {
    const shown = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
    throw new NodeAgentError(
      'INVALID_CONFIGURATION',
      `failed to validate kubelet configuration, error: ${shown}, path: ${config ?? configDir}`,
    );
  }
  const configured = configuredBy(configuration, given);
  const ignored =
    configured.ignored.length === 0 ? [] : [`nothing honours these fields of the configuration yet: ${configured.ignored.join(', ')}`];
  return { configured, warnings: [...warnings, ...ignored] };
}
