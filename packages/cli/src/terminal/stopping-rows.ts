import type { PodView } from '@nodeagent/core/node';
import { type PodRow, stoppedRow, stoppingRow } from './pod-row.js';
import { count } from './pods-screen.js';

/** The rows of the pods while the agent stops them, with the removed ones as stopped, and a summary of what is left. */
export function stoppingRows(views: readonly PodView[], before: readonly PodRow[], now: number): { rows: PodRow[]; state: string } {
  const rows = views.map((view) => stoppingRow(view, now));
  const removed = before.filter(({ name }) => !rows.some((row) => row.name === name)).map(stoppedRow);
  const left = rows.filter(({ status }) => status !== 'Stopped').length;
  return { rows: [...rows, ...removed], state: left === 0 ? 'all pods have stopped' : `stopping: ${count(left, 'pod')} left` };
}
