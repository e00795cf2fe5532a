import { paint } from './paint.js';
import type { PodRow } from './pod-row.js';
import { printable } from './printable.js';

const headings = { name: 'POD', ready: 'READY', status: 'STATUS', restarts: 'RESTARTS', age: 'AGE', lastEvent: 'LAST EVENT' };
type Column = keyof typeof headings;
const columns = Object.keys(headings) as Column[];
const colour = { good: 'green', waiting: 'yellow', bad: 'red' } as const;

const gap = 2;
/** What a narrow terminal goes without, the least important first; pod and status always stay. */
const dispensable: readonly Column[] = ['lastEvent', 'age', 'restarts', 'ready'];
const leastWidth: Partial<Record<Column, number>> = { name: 12, lastEvent: 16 };

interface PlacedColumn {
  column: Column;
  width: number;
}

/** The lines of the pod table, none wider than `width`; with `colours` the status is coloured. */
export function renderTable(rows: readonly PodRow[], width: number, colours: boolean): string[] {
  const placed = placeColumns(rows, width);
  const line = (cells: Record<Column, string>, mood?: PodRow['mood']) => {
    let room = width;
    const texts = placed.map(({ column, width: own }, index) => {
      const cell = shorten(printable(cells[column]), Math.min(own, room));
      const padded = index === placed.length - 1 ? cell : cell.padEnd(Math.min(own + gap, room));
      room -= padded.length;
      return colours && mood && column === 'status' ? paint(colour[mood], padded) : padded;
    });
    return texts.join('').trimEnd();
  };
  return [line(headings), ...rows.map((row) => line(row, row.mood))];
}

/** The columns that fit, the last one taking what is left. Names give way before a column is dropped. */
function placeColumns(rows: readonly PodRow[], width: number): PlacedColumn[] {
  const wanted = (column: Column) => Math.max(headings[column].length, ...rows.map((row) => row[column].length));
  const least = (column: Column) => Math.min(wanted(column), leastWidth[column] ?? Number.POSITIVE_INFINITY);
  const sum = (kept: readonly Column[], widthOf: (column: Column) => number) =>
    kept.reduce((total, column) => total + widthOf(column), gap * (kept.length - 1));
  const nameInFull = (column: Column) => (column === 'name' ? wanted(column) : least(column));

  let kept = columns;
  for (const column of dispensable) {
    const fits = sum(kept, column === 'lastEvent' || column === 'age' ? nameInFull : least) <= width;
    if (fits) break;
    kept = kept.filter((each) => each !== column);
  }
  const others = sum(
    kept.filter((column) => column !== 'name'),
    least,
  );
  return kept.map((column) => {
    if (column === 'name') return { column, width: Math.max(1, Math.min(wanted(column), width - others - gap)) };
    return { column, width: column === 'lastEvent' ? width : wanted(column) };
  });
}

/** Cuts a text to a width and says so with `…`. */
export function shorten(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? '' : `${text.slice(0, width - 1)}…`;
}
