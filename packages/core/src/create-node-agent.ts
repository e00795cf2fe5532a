import { createAgentContext } from './agent-context.js';
import { createLifecycle } from './agent-lifecycle.js';
import { createAgentView, emitStatuses } from './agent-view.js';
import { createComponents } from './components.js';
import { chosenParts } from './default-parts.js';
import type { NodeAgentOptions } from './node-agent-options.js';
import type { NodeAgent } from './options/node-agent.js';
import { namingSettings } from './options/settings.js';
import { stopPods } from './stop-pods.js';
import { withCri } from './without-cri.js';

/**
 * Wires the subsystems into a node agent. Construction reads the machine's facts and starts nothing; {@link NodeAgent.start} does.
 * Throws `InvalidOption` naming an option that is invalid, and `UnmetNeed` naming a part of the options that does not fit the others.
 */
export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  const context = createAgentContext(withCri(options));
  const components = namingSettings(() => createComponents(context, chosenParts(options.parts ?? {})));
  emitStatuses(components);
  const life = createLifecycle(components);
  return {
    ...createAgentView(components),
    start: life.start,
    stop: life.stop,
    stopPods: (signal) => stopPods(components, signal),
    shutdown: components.nodeShutdown.shutdown,
    syncNodeStatus: async () => components.cluster?.node?.syncNodeStatus(),
  };
}
