import { createResizeConditions } from '@nodeagent/status-manager';
import type { AgentParts, Components } from '../components.js';

/** The conditions of resizes in progress. */
export function resizes({ common }: Components): AgentParts['resizes'] {
  const { clock, recorder } = common;
  return createResizeConditions({ clock, recorder });
}
