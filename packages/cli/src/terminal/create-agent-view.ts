import { systemClock } from '@nodeagent/api';
import type { AgentView, AgentViewOptions } from './agent-view.js';
import { createLogView } from './log-view.js';
import { createTableView } from './table-view.js';

/** Creates the view: a live table, or lines. */
export function createAgentView({ table, clock = systemClock, ...options }: AgentViewOptions): AgentView {
  return table ? createTableView({ ...options, clock }) : createLogView({ ...options, clock });
}
