import { createStatusManager } from '@nodeagent/status-manager';
import type { AgentParts, Components } from '../components.js';

/** Holds the statuses of the pods. */
export function statusManager({ state, common, statusSink }: Components): AgentParts['statusManager'] {
  const { clock, logger, metrics } = common;
  return createStatusManager({ clock, pods: state.podManager, logger, metrics, sink: statusSink });
}
