import type { PodRow } from './pod-row.js';

const urgency = { bad: 0, waiting: 1, good: 2 } as const;

/** The rows that fit and a line about the rest; if not all fit, unhealthy pods come first. */
export function fitRows(rows: readonly PodRow[], room: number): { rows: readonly PodRow[]; rest: string | undefined } {
  if (rows.length <= room) return { rows, rest: undefined };
  const urgentFirst = [...rows].sort((a, b) => urgency[a.health] - urgency[b.health]);
  const shown = Math.max(0, room - 1);
  const hidden = urgentFirst.slice(shown);
  const healthy = hidden.filter(({ health }) => health === 'good').length;
  const state = healthy === hidden.length ? 'healthy' : `${healthy} of them healthy`;
  return { rows: urgentFirst.slice(0, shown), rest: `… ${hidden.length} more, ${state}` };
}
