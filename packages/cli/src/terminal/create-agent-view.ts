import { systemClock } from '@nodeagent/api';
import type { AgentView, AgentViewOptions } from './agent-view.js';
import { createListView } from './list-view.js';
import { createLogView } from './log-view.js';
import { createTableView } from './table-view.js';

/** Creates the view: an interactive list, a live table, or lines. */
export function createAgentView({ table, terminal, clock = systemClock, ...options }: AgentViewOptions): AgentView {
  if (table && terminal !== undefined) return createListView({ level: options.level, clock }, terminal);
  return table ? createTableView({ ...options, clock }) : createLogView({ ...options, clock });
}
