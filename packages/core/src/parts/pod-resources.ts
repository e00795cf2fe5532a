import type { AgentParts } from '../components.js';

/** Undefined: the pod resources API is served on a socket, beside device plugins. */
export const podResources = (): AgentParts['podResources'] => undefined;
