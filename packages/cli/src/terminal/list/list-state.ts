import type { ListModel, ListRow, ListSort } from './list-model.js';

/** What the user chose. */
export interface ListState {
  /** `filter` while the filter is typed, `help` while the keys are explained. */
  mode: 'list' | 'filter' | 'help';
  /** The selected row and its last index; absent until a key selects one: the first row. */
  selected?: { key: string; index: number };
  /** The name of a sort; absent: the first one. */
  sort?: string;
  /** Rows without this text are hidden; empty: none are. */
  filter: string;
}

export const initialListState: ListState = { mode: 'list', filter: '' };

/** The rows that pass the filter, in the chosen order. The filter is a part of any column's text, in upper or lower case. */
export function arrangeRows({ rows, kind }: ListModel, state: ListState): ListRow[] {
  const wanted = state.filter.toLowerCase();
  const { compare } = chosenSort(kind.sorts, state);
  return rows
    .filter(({ cells }) => wanted === '' || Object.values(cells).some((text) => text.toLowerCase().includes(wanted)))
    .sort((a, b) => compare(a, b) || (a.key < b.key ? -1 : 1));
}

export function chosenSort(sorts: ListModel['kind']['sorts'], { sort }: ListState): ListSort {
  return sorts.find(({ name }) => name === sort) ?? sorts[0];
}

/** The index of the selected row: the row follows its pod; if that is no longer listed, the row at its place is selected. */
export function selectedIndex(arranged: readonly ListRow[], { selected }: ListState): number {
  if (selected === undefined) return 0;
  const found = arranged.findIndex(({ key }) => key === selected.key);
  return found === -1 ? Math.max(0, Math.min(selected.index, arranged.length - 1)) : found;
}
