import { paint } from './paint.js';
import type { PodRow } from './pod-row.js';
import { printable } from './printable.js';
import { endOfText, padEnd, padStart, startOfText, textWidth } from './text-width.js';

/** The columns of a table, and which of them give way to a narrow terminal. */
export interface TableLayout<Column extends string> {
  /** Headings by column, in their order. */
  headings: Readonly<Record<Column, string>>;
  /** Cut in the middle, because the end distinguishes the pods of a ReplicaSet. Cut before a column is dropped. */
  name: Column;
  /** The last column, if it takes the rest of the width. */
  rest?: Column;
  /** Columns that a narrow terminal drops, in this order; the others always remain. */
  dispensable: readonly Column[];
  /** Columns of numbers, aligned to the right. Default none. */
  numbers?: readonly Column[];
}

/** How table lines are drawn. */
export interface TableStyle {
  width: number;
  /** Colours the status by the row's health. */
  colours: boolean;
}

export type Health = PodRow['health'];
const colour = { good: 'green', waiting: 'yellow', bad: 'red' } as const;

const gap = 2;
const minNameWidth = 12;
const minRestWidth = 16;
/** Minimum width of names before the column {@link TableLayout.rest} is dropped; 80 columns then fit both. */
const minNameBesideRest = 20;

export const podColumnsLayout = {
  headings: { name: 'POD', ready: 'READY', status: 'STATUS', restarts: 'RESTARTS', age: 'AGE', lastEvent: 'LAST EVENT' },
  name: 'name',
  rest: 'lastEvent',
  dispensable: ['lastEvent', 'age', 'restarts', 'ready'],
} as const satisfies TableLayout<string>;

/** The lines of the pod table, none wider than `width`; with `colours` the status is coloured. */
export function renderTable(rows: readonly PodRow[], width: number, colours: boolean): string[] {
  return tableLines(podColumnsLayout, rows, { width, colours });
}

/** The rows to draw, by their indices: from `start`, before `end`. */
export interface RowWindow {
  start: number;
  end: number;
}

type Cells<Column extends string> = Readonly<Record<Column, string>> & { health?: Health };

/**
 * The heading and one line for each row, none wider than the width. The column `status` has the colour of the row's health. With a window only its
 * rows have lines; the columns fit all rows, so that they do not move while the window does.
 */
export function tableLines<Column extends string>(
  layout: TableLayout<Column>,
  rows: readonly Cells<Column>[],
  { width, colours }: TableStyle,
  { start, end }: RowWindow = { start: 0, end: rows.length },
): string[] {
  const placed = placeColumns(layout, rows, width);
  const line = (cells: Readonly<Record<Column, string>>, health?: Health) => {
    let room = width;
    const texts = placed.map(({ column, width: own }, index) => {
      const cut = column === layout.name ? shortenName : shorten;
      const cell = cut(printable(cells[column]), Math.min(own, room));
      const aligned = layout.numbers?.includes(column) ? padStart(cell, Math.min(own, room)) : cell;
      const padded = index === placed.length - 1 ? aligned : padEnd(aligned, Math.min(own + gap, room));
      room -= textWidth(padded);
      return colours && health && column === 'status' ? paint(colour[health], padded) : padded;
    });
    return texts.join('').trimEnd();
  };
  return [line(layout.headings), ...rows.slice(start, end).map((row) => line(row, row.health))];
}

interface PlacedColumn<Column> {
  column: Column;
  width: number;
}

/** The columns that fit. Names are cut before a column is dropped, and share the width with the column that takes the rest of it. */
function placeColumns<Column extends string>(
  { headings, name, rest, dispensable }: TableLayout<Column>,
  rows: readonly Readonly<Record<Column, string>>[],
  width: number,
): PlacedColumn<Column>[] {
  const wanted = (column: Column) => widestOf(headings[column], rows, column);
  const minWidth = (column: Column) => (column === name ? minNameWidth : column === rest ? minRestWidth : Number.POSITIVE_INFINITY);
  const least = (column: Column) => Math.min(wanted(column), minWidth(column));
  const sum = (kept: readonly Column[], widthOf: (column: Column) => number) =>
    kept.reduce((total, column) => total + widthOf(column), gap * (kept.length - 1));
  const withRest = (column: Column) => (column === name ? Math.min(wanted(column), minNameBesideRest) : least(column));

  let kept = Object.keys(headings) as Column[];
  for (const column of dispensable) {
    if (sum(kept, column === rest ? withRest : least) <= width) break;
    kept = kept.filter((each) => each !== column);
  }
  const fixed = kept.filter((column) => column !== name && column !== rest);
  const room = width - sum(fixed, wanted) - gap * (kept.length - fixed.length);
  const hasRest = rest !== undefined && kept.includes(rest);
  const nameRoom = hasRest ? Math.max(minNameBesideRest, Math.floor(room / 2), room - wanted(rest)) : room;
  return kept.map((column) => {
    if (column === name) return { column, width: Math.max(1, Math.min(wanted(column), nameRoom)) };
    return { column, width: column === rest ? width : wanted(column) };
  });
}

function widestOf<Column extends string>(heading: string, rows: readonly Readonly<Record<Column, string>>[], column: Column): number {
  return rows.reduce((widest, row) => Math.max(widest, textWidth(printable(row[column]))), textWidth(heading));
}

/** Cuts a text to a width in cells, ending in `…`. */
export function shorten(text: string, width: number): string {
  if (startOfText(text, width).length === text.length) return text;
  return width < 1 ? '' : `${startOfText(text, width - 1)}…`;
}

/** Cuts a name in the middle. */
function shortenName(name: string, width: number): string {
  const end = Math.floor((width - 1) / 3);
  if (end < 1 || startOfText(name, width).length === name.length) return shorten(name, width);
  return `${startOfText(name, width - 1 - end)}…${endOfText(name, end)}`;
}
