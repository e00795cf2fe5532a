import { createStatusManager } from '@nodeagent/status-manager';
import type { AgentParts, Components } from '../components.js';

/** Holds the statuses of the pods. */
export function statusManager({ agent, state, common, cluster }: Components): AgentParts['statusManager'] {
  const { clock, logger, metrics } = common;
  const sink = agent.statusSink ?? cluster?.statusSink;
  return createStatusManager({ clock, pods: state.podManager, logger, metrics, ...(sink && { sink }) });
}
