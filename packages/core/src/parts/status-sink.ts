import type { AgentParts, Components } from '../components.js';

/** Receives pod statuses: the cluster's; undefined without one, and statuses stay in the agent. */
export function statusSink({ cluster }: Components): AgentParts['statusSink'] {
  return cluster?.statusSink;
}
