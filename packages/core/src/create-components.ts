import { invalidOption, NodeAgentError } from '@nodeagent/api';
import type { AgentContext } from './agent-context.js';
import type { AgentParts, Components, PartFactories, PartReplacements } from './components.js';
import { contracts, requireContract } from './config/contracts.js';
import { coreErrorCodes } from './errors.js';
import { requireNoVolumePlugins } from './options/volume-plugins.js';

const optionalParts: ReadonlySet<string> = new Set<keyof AgentParts>([
  'stats',
  'eviction',
  'standalone',
  'cluster',
  'statusSink',
  'userNamespaces',
  'containerManager',
  'devices',
  'resourceManagers',
  'podResources',
  'dynamicResources',
  'server',
]);

/**
 * Creates the parts in the order of the factories, and before a part those that it reads at construction. Throws `UnmetNeed` naming both
 * parts if a part reads a missing part or one that depends on it.
 */
export function createComponents(context: AgentContext, factories: PartFactories): Components {
  const names = Object.keys(factories) as (keyof AgentParts)[];
  const parts: Partial<Record<keyof AgentParts, unknown>> = {};
  const underConstruction: (keyof AgentParts)[] = [];
  const components = { ...context } as Components;

  const create = (name: keyof AgentParts) => {
    if (name in parts) return;
    underConstruction.push(name);
    parts[name] = factories[name](components);
    underConstruction.pop();
  };
  const read = (name: keyof AgentParts) => {
    const reader = underConstruction.at(-1) ?? 'the agent';
    if (underConstruction.includes(name)) {
      const path = [...underConstruction.slice(underConstruction.indexOf(name)), name].join(' -> ');
      throw unmetNeed(`parts depend on each other (${path}): ${reader} must read ${name} inside a function, not at construction`);
    }
    create(name);
    if (parts[name] === undefined && !optionalParts.has(name))
      throw unmetNeed(`${reader} needs ${name}, but the factory of ${name} returned undefined`);
    return parts[name];
  };
  for (const name of names) Object.defineProperty(components, name, { get: () => read(name), enumerable: true });
  for (const name of names) create(name);
  for (const name of names) read(name);
  return components;
}

const unmetNeed = (message: string) => new NodeAgentError(coreErrorCodes.unmetNeed, message);

/** The default factories, replaced by those of the options, whose parts must implement their contracts. */
export function chosenParts(defaults: PartFactories, replacements: PartReplacements): PartFactories {
  const chosen = Object.keys(replacements).map((name) => [name, chosenFactory(name as keyof AgentParts, defaults, replacements)]);
  return { ...defaults, ...Object.fromEntries(chosen) };
}

function chosenFactory<K extends keyof AgentParts>(
  name: K,
  { [name]: createDefault }: PartFactories,
  { [name]: replacement }: PartReplacements,
): (c: Components) => AgentParts[K] {
  if (replacement === undefined) return createDefault;
  if (typeof replacement !== 'function') throw invalidOption(`parts.${name}`, 'a function that returns the part', replacement);
  return (c) => {
    let hasDefault = false;
    const part = replacement(c, () => {
      hasDefault = true;
      return createDefault(c);
    });
    if (name === 'volumeManager' && !hasDefault) requireNoVolumePlugins(c.agent);
    if (part !== undefined && Object.hasOwn(contracts, name))
      requireContract(`parts.${name}`, part as object, contracts[name as keyof typeof contracts]);
    return part;
  };
}
