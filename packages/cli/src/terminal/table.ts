import { paint } from './paint.js';
import type { PodRow } from './pod-row.js';
import { printable } from './printable.js';

const headings = { name: 'POD', ready: 'READY', status: 'STATUS', restarts: 'RESTARTS', age: 'AGE', lastEvent: 'LAST EVENT' };
type Column = keyof typeof headings;
const columns = Object.keys(headings) as Column[];
const colour = { good: 'green', waiting: 'yellow', bad: 'red' } as const;

const gap = 2;
/** Columns that a narrow terminal drops, in this order; pod and status always remain. */
const dispensable: readonly Column[] = ['lastEvent', 'age', 'restarts', 'ready'];
const minWidth: Partial<Record<Column, number>> = { name: 12, lastEvent: 16 };
/** Minimum width of names before LAST EVENT is dropped; 80 columns then fit both. */
const minNameBesideEvents = 20;

interface PlacedColumn {
  column: Column;
  width: number;
}

/** The lines of the pod table, none wider than `width`; with `colours` the status is coloured. */
export function renderTable(rows: readonly PodRow[], width: number, colours: boolean): string[] {
  const placed = placeColumns(rows, width);
  const line = (cells: Record<Column, string>, health?: PodRow['health']) => {
    let room = width;
    const texts = placed.map(({ column, width: own }, index) => {
      const cut = column === 'name' ? shortenName : shorten;
      const cell = cut(printable(cells[column]), Math.min(own, room));
      const padded = index === placed.length - 1 ? cell : cell.padEnd(Math.min(own + gap, room));
      room -= padded.length;
      return colours && health && column === 'status' ? paint(colour[health], padded) : padded;
    });
    return texts.join('').trimEnd();
  };
  return [line(headings), ...rows.map((row) => line(row, row.health))];
}

/**
 * The columns that fit; the last one takes the remaining width. Names are cut before a column is dropped, and share the width with last
 * events.
 */
function placeColumns(rows: readonly PodRow[], width: number): PlacedColumn[] {
  const wanted = (column: Column) => Math.max(headings[column].length, ...rows.map((row) => row[column].length));
  const least = (column: Column) => Math.min(wanted(column), minWidth[column] ?? Number.POSITIVE_INFINITY);
  const sum = (kept: readonly Column[], widthOf: (column: Column) => number) =>
    kept.reduce((total, column) => total + widthOf(column), gap * (kept.length - 1));
  const withEvents = (column: Column) => (column === 'name' ? Math.min(wanted(column), minNameBesideEvents) : least(column));

  let kept = columns;
  for (const column of dispensable) {
    if (sum(kept, column === 'lastEvent' ? withEvents : least) <= width) break;
    kept = kept.filter((each) => each !== column);
  }
  const fixed = kept.filter((column) => column !== 'name' && column !== 'lastEvent');
  const room = width - sum(fixed, wanted) - gap * (kept.length - fixed.length);
  const nameRoom = kept.includes('lastEvent') ? Math.max(minNameBesideEvents, Math.floor(room / 2), room - wanted('lastEvent')) : room;
  return kept.map((column) => {
    if (column === 'name') return { column, width: Math.max(1, Math.min(wanted(column), nameRoom)) };
    return { column, width: column === 'lastEvent' ? width : wanted(column) };
  });
}

/** Cuts a text to a width, ending in `…`. */
export function shorten(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? '' : `${text.slice(0, width - 1)}…`;
}

/** Cuts a name in the middle, because the end distinguishes the pods of a ReplicaSet. */
function shortenName(name: string, width: number): string {
  const end = Math.floor((width - 1) / 3);
  if (name.length <= width || end < 1) return shorten(name, width);
  return `${name.slice(0, width - 1 - end)}…${name.slice(-end)}`;
}
