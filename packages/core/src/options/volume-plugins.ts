import { invalidOption, type VolumePlugin } from '@nodeagent/api';
import { qualifiedNameProblems } from '@nodeagent/api/helpers';
import { contracts, requireContract } from '../config/contracts.js';
import type { AgentOptions } from './agent-options.js';

/** Throws `InvalidOption` unless each added plugin implements the contract and has a valid, unique name. */
export function requireVolumePlugins({ volumePlugins = [] }: Pick<AgentOptions, 'volumePlugins'>): void {
  for (const [index, plugin] of volumePlugins.entries()) {
    const option = `volumePlugins[${index}]`;
    requireContract(option, plugin, contracts.volumePlugin);
    const { name } = plugin;
    if (qualifiedNameProblems(name).length > 0) throw invalidOption(`${option}.name`, 'a qualified name such as example.com/disk', name);
    if (volumePlugins.findIndex((other) => other.name === name) < index)
      throw invalidOption(`${option}.name`, 'different from the names of the other added plugins', name);
  }
}

/** For a replaced volume manager that does not create the default, which adds the plugins. Throws `InvalidOption` if there are any. */
export function requireNoVolumePlugins({ volumePlugins = [] }: Pick<AgentOptions, 'volumePlugins'>): void {
  if (volumePlugins.length > 0)
    throw invalidOption('volumePlugins', 'absent if parts.volumeManager does not create the default, which adds them', volumePlugins);
}

/**
 * The agent's plugins and the added ones. An added plugin replaces the agent's plugin of the same name, which would use the same
 * directories.
 */
export function withAddedPlugins(own: readonly VolumePlugin[], added: readonly VolumePlugin[] = []): VolumePlugin[] {
  const replaced = new Set(added.map(({ name }) => name));
  return [...own.filter(({ name }) => !replaced.has(name)), ...added];
}
