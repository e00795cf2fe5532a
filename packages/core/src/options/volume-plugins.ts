import { invalidOption, qualifiedNameProblems, type VolumePlugin } from '@nodeagent/api';
import type { AgentOptions } from './agent-options.js';
import { contracts, requireContract } from './contract-methods.js';

/** Throws `InvalidOption` unless the added plugins are whole, have valid names, each another, and a manager of the agent's own uses them. */
export function requireVolumePlugins({ volumePlugins = [], volumeManager }: Pick<AgentOptions, 'volumePlugins' | 'volumeManager'>): void {
  if (volumeManager && volumePlugins.length > 0)
    throw invalidOption('volumePlugins', 'absent beside volumeManager, which has its own plugins', volumePlugins);
  for (const [index, plugin] of volumePlugins.entries()) {
    const option = `volumePlugins[${index}]`;
    requireContract(option, plugin, contracts.volumePlugin);
    const { name } = plugin;
    if (qualifiedNameProblems(name).length > 0) throw invalidOption(`${option}.name`, 'a qualified name such as example.com/disk', name);
    if (volumePlugins.findIndex((other) => other.name === name) < index)
      throw invalidOption(`${option}.name`, 'the name of no other added plugin', name);
  }
}

/**
 * The agent's own plugins and the added ones. An added plugin takes the place of the agent's own plugin of the same name: both would have the
 * same folders.
 */
export function withAddedPlugins(own: readonly VolumePlugin[], added: readonly VolumePlugin[] = []): VolumePlugin[] {
  const replaced = new Set(added.map(({ name }) => name));
  return [...own.filter(({ name }) => !replaced.has(name)), ...added];
}
