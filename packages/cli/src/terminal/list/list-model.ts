import type { PodName } from '../../local-api/find-pod.js';
import type { Health, TableLayout } from '../table.js';

/** A row of an interactive list. */
export interface ListRow {
  /** Identifies the row across updates. */
  key: string;
  /** The text of each column of the layout. */
  cells: Readonly<Record<string, string>>;
  health: Health;
  /** Numbers that sorts compare, by the sort's name; a missing one sorts last. */
  numbers: Readonly<Record<string, number>>;
  /** The pod to describe; absent for a rejected manifest. */
  pod?: PodName;
  /** Why the row is in its state; shown below the list for the selected row, and computed only for it. */
  explain(): string;
}

/** An order of the rows; equal rows are in the order of their keys. */
export interface ListSort {
  name: string;
  compare(a: ListRow, b: ListRow): number;
}

/** What the list shows; the same for all updates. */
export interface ListKind {
  layout: TableLayout<string>;
  /** In the order of the key `s`; the first is the default. */
  sorts: readonly [ListSort, ...ListSort[]];
}

/** The data of a list at one time. */
export interface ListModel {
  kind: ListKind;
  title: string;
  /** Lines between the title and the rows. */
  header: readonly string[];
  rows: readonly ListRow[];
  /** The last messages, oldest first, shown below the rows. */
  notes: readonly string[];
}

const urgency: Record<Health, number> = { bad: 0, waiting: 1, good: 2 };

export const sortByHealth: ListSort = { name: 'health', compare: (a, b) => urgency[a.health] - urgency[b.health] };
export const sortByName: ListSort = { name: 'name', compare: () => 0 };

/** The highest number first. */
export const sortByNumber = (name: string): ListSort => ({ name, compare: (a, b) => numberOf(b, name) - numberOf(a, name) });

const numberOf = ({ numbers }: ListRow, name: string) => numbers[name] ?? Number.MIN_SAFE_INTEGER;
