import { paint } from './paint.js';
import type { PodRow } from './pod-row.js';

const headings = { name: 'POD', ready: 'READY', status: 'STATUS', restarts: 'RESTARTS', age: 'AGE', lastEvent: 'LAST EVENT' };
type Column = keyof typeof headings;
const columns = Object.keys(headings) as Column[];
const colour = { good: 'green', waiting: 'yellow', bad: 'red' } as const;

/** The lines of the pod table, none wider than `width`; with `colours` the status is coloured. */
export function renderTable(rows: readonly PodRow[], width: number, colours: boolean): string[] {
  const widths = Object.fromEntries(
    columns.map((column) => [column, Math.max(headings[column].length, ...rows.map((row) => row[column].length))]),
  ) as Record<Column, number>;
  const line = (cells: Record<Column, string>, mood?: PodRow['mood']) => {
    let used = 0;
    let text = '';
    for (const column of columns) {
      const room = Math.max(0, width - used);
      const last = column === 'lastEvent';
      const cell = shorten(printable(cells[column]), last ? room : Math.min(widths[column], room));
      const padded = last ? cell : cell.padEnd(Math.min(widths[column] + 3, room));
      used += padded.length;
      text += colours && mood && column === 'status' ? paint(colour[mood], padded) : padded;
    }
    return text.trimEnd();
  };
  return [line(headings), ...rows.map((row) => line(row, row.mood))];
}

function shorten(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? '' : `${text.slice(0, width - 1)}…`;
}

/** Texts of events come from outside: no control characters reach the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
