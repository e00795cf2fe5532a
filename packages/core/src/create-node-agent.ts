import { defaultParts } from './components.js';
import { composeAgent } from './compose-agent.js';
import { requireCompleteHost } from './host/complete-host.js';
import type { NodeAgentOptions } from './node-agent-options.js';
import type { NodeAgent } from './options/node-agent.js';

/**
 * Creates a node agent from the subsystems. Construction starts nothing; {@link NodeAgent.start} starts the agent. The agent reaches the
 * machine through `host` only. Throws `InvalidOption` naming an invalid option, such as one that needs a part which only `createNodeAgent` of
 * `@nodeagent/core/node` has (`server`, device plugins), and `UnmetNeed` naming parts of the options that do not fit together.
 */
export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  return composeAgent(options, {
    chooseHost({ host }) {
      requireCompleteHost(host);
      return host;
    },
    parts: defaultParts,
  });
}
