import { NodeAgentError } from '@nodeagent/api';
import type { AgentContext } from './agent-context.js';
import { type AgentParts, type Components, defaultParts, type PartFactories } from './components.js';
import { coreErrorCodes } from './errors.js';
import type { NodeAgentParts } from './node-agent-options.js';
import { checkedFactory } from './options/contract-methods.js';

const optionalParts: ReadonlySet<string> = new Set<keyof AgentParts>([
  'eviction',
  'standalone',
  'cluster',
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

/** The default parts, replaced by those of the options. */
export function chosenParts({
  statusManager,
  pleg,
  podWorkers,
  imageManager,
  allocation,
  containerManager,
}: NodeAgentParts): PartFactories {
  return {
    ...defaultParts,
    ...(statusManager && { statusManager: checkedFactory('statusManager', statusManager) }),
    ...(pleg && { pleg: checkedFactory('pleg', pleg) }),
    ...(podWorkers && { podWorkers: checkedFactory('podWorkers', podWorkers) }),
    ...(imageManager && { imageManager: checkedFactory('imageManager', imageManager) }),
    ...(allocation && { allocation: checkedFactory('allocation', allocation) }),
    ...(containerManager && { containerManager: checkedFactory('containerManager', containerManager) }),
  };
}
