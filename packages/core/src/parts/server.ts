import { invalidOption, type Startable } from '@nodeagent/api';
import type { ServedPorts } from '@nodeagent/server';
import type { AgentParts, Components } from '../components.js';
import { exceptOnMachine } from '../host/except-on-machine.js';

/** The agent's HTTP API. */
export interface RunningAgentServer extends Startable {
  /** Undefined before the start. */
  readonly ports: ServedPorts | undefined;
}

/** Undefined: the HTTP API listens on sockets. Throws `InvalidOption` if the options have one. */
export function server({ agent }: Components): AgentParts['server'] {
  if (agent.server !== undefined) throw invalidOption('server', `absent, ${exceptOnMachine}`, agent.server);
  return undefined;
}
