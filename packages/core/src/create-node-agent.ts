import { createAgentContext } from './agent-context.js';
import { createLifecycle } from './agent-lifecycle.js';
import { createComponents } from './components.js';
import { chosenParts } from './default-parts.js';

import type { NodeAgent } from './node-agent.js';
import type { NodeAgentOptions } from './node-agent-options.js';
import { namingSettings } from './settings.js';

import { stopPods } from './stop-pods.js';
import { createAgentView, emitStatuses } from './view/agent-view.js';
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
