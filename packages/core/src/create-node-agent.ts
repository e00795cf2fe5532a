import { checkOptionNames } from '@nodeagent/api';
import { createAgentContext } from './agent-context.js';
import { createLifecycle } from './agent-lifecycle.js';
import { createAgentView, emitStatuses } from './agent-view.js';
import { completeOptions } from './complete-options.js';
import { chosenParts, createComponents } from './create-components.js';
import type { NodeAgentOptions } from './node-agent-options.js';
import { optionNames } from './option-names.js';
import type { NodeAgent } from './options/node-agent.js';
import { stopPods } from './stop-pods.js';

/**
 * Creates a node agent from the subsystems. Construction reads the machine's facts and starts nothing; {@link NodeAgent.start} starts the
 * agent. Throws `InvalidOption` naming an invalid option, and `UnmetNeed` naming parts of the options that do not fit together.
 */
export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  checkOptionNames('createNodeAgent', options, optionNames);
  const context = createAgentContext(completeOptions(options));
  const components = createComponents(context, chosenParts(options.parts ?? {}));
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
