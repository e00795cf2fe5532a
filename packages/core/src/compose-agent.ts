import { checkOptionNames } from '@nodeagent/api';
import { type ChooseHost, createAgentContext } from './agent-context.js';
import { createLifecycle } from './agent-lifecycle.js';
import { createAgentView, emitStatuses } from './agent-view.js';
import { completeOptions, type GivenOptions } from './complete-options.js';
import type { PartFactories } from './components.js';
import { chosenParts, createComponents } from './create-components.js';
import { optionNames } from './option-names.js';
import type { NodeAgent } from './options/node-agent.js';
import { stopPods } from './stop-pods.js';

/** What an entry of this package composes agents of. */
export interface AgentKind {
  chooseHost: ChooseHost;
  /** The default factory of each part. */
  parts: PartFactories;
}

/** Creates an agent from its options, the host that is chosen for it, and the factories of its parts. */
export function composeAgent(options: GivenOptions, { chooseHost, parts }: AgentKind): NodeAgent {
  checkOptionNames('createNodeAgent', options, optionNames);
  const context = createAgentContext(completeOptions(options), chooseHost);
  const components = createComponents(context, chosenParts(parts, options.parts ?? {}));
  emitStatuses(components);
  const lifecycle = createLifecycle(components);
  return {
    ...createAgentView(components),
    start: lifecycle.start,
    stop: lifecycle.stop,
    stopPods: (signal) => stopPods(components, signal),
    shutdown: (signal) => components.nodeShutdown.shutdown(signal),
    syncNodeStatus: async () => components.cluster?.node?.syncNodeStatus(),
  };
}
