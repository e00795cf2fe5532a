import { createDeadlineTimers } from '@nodeagent/status-manager';
import type { AgentParts, Components } from '../components.js';

/** Syncs pods whose `activeDeadlineSeconds` have elapsed. */
export function deadlines(c: Components): AgentParts['deadlines'] {
  return createDeadlineTimers((uid) => c.handler.syncPods([uid]), c.common.clock);
}
