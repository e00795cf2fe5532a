import { composeAgent } from '../compose-agent.js';
import type { NodeHost } from '../host/node-host.js';
import type { NodeAgentOptions as HostedAgentOptions } from '../node-agent-options.js';
import type { NodeAgent } from '../options/node-agent.js';
import { agentHost } from './agent-host.js';
import { machineParts } from './machine-parts.js';

/** Options of {@link createNodeAgent}. */
export interface NodeAgentOptions extends Omit<HostedAgentOptions, 'host'> {
  /**
   * Access to the machine: a complete host, such as `memoryHost()`, an in-memory node, or members that replace those of this machine. With
   * `files` and without the other members, state is lost at a restart, no log is rotated, image garbage collection by disk usage is off,
   * pods run without separate cgroups, and OOM kills are not reported. With `podDirs` volumes are in memory unless `volumes` replaces them,
   * and there are no stats. Default: this machine.
   */
  host?: Partial<NodeHost>;
}

/**
 * Creates a node agent from the subsystems, on this machine. Construction reads the machine's facts and starts nothing; `start` starts the
 * agent. Throws `InvalidOption` naming an invalid option, and `UnmetNeed` naming parts of the options that do not fit together.
 */
export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  return composeAgent(options, { chooseHost: agentHost, parts: machineParts });
}
