import type { AgentParts } from '../components.js';

/** Undefined, so that pods with resource claims wait: drivers of dynamic resources are reached by gRPC. */
export const dynamicResources = (): AgentParts['dynamicResources'] => undefined;
