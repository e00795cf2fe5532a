import type { Key } from './key.js';
import type { ListModel, ListRow } from './list-model.js';
import { arrangeRows, chosenSort, type ListState, selectedIndex } from './list-state.js';

/** What a key demands of the command. */
type ListAction = { type: 'describe' | 'logs' | 'exec'; row: ListRow } | { type: 'quit' };

export interface PressedKey {
  state: ListState;
  action?: ListAction;
}

/** The next state after a key, and the action that it demands. `page` is the number of rows that PgUp and PgDn skip. */
export function pressListKey(state: ListState, key: Key, model: ListModel, page: number): PressedKey {
  if (key === 'interrupt') return { state, action: { type: 'quit' } };
  if (state.mode === 'filter') return { state: typeFilter(state, key) };
  // Any key ends the help, and only that.
  if (state.mode === 'help') return { state: { ...state, mode: 'list' } };
  const arranged = arrangeRows(model, state);
  const index = selectedIndex(arranged, state);
  const target = targetOf(key, index, arranged.length, page);
  if (target !== undefined) return { state: select(state, arranged, target) };
  return commandOf(state, key, model, arranged[index]);
}

function commandOf(state: ListState, key: Key, { kind }: ListModel, row: ListRow | undefined): PressedKey {
  switch (key) {
    case 'q':
      return { state, action: { type: 'quit' } };
    case '/':
      return { state: { ...state, mode: 'filter' } };
    case '?':
      return { state: { ...state, mode: 'help' } };
    case 'escape':
      return { state: { ...state, filter: '' } };
    case 's': {
      const at = kind.sorts.indexOf(chosenSort(kind.sorts, state));
      const { name } = kind.sorts[(at + 1) % kind.sorts.length] ?? kind.sorts[0];
      return { state: { ...state, sort: name } };
    }
  }
  const type = actions[key];
  // A rejected manifest has no logs, and no container to run a command in.
  if (type === undefined || row === undefined || (row.pod === undefined && type !== 'describe')) return { state };
  return { state, action: { type, row } };
}

const actions: Readonly<Record<string, 'describe' | 'logs' | 'exec'>> = { enter: 'describe', l: 'logs', e: 'exec' };

function targetOf(key: Key, index: number, count: number, page: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    up: index - 1,
    down: index + 1,
    k: index - 1,
    j: index + 1,
    pageUp: index - page,
    pageDown: index + page,
    home: 0,
    end: count - 1,
  };
  return targets[key];
}

function select(state: ListState, arranged: readonly ListRow[], target: number): ListState {
  const index = Math.max(0, Math.min(target, arranged.length - 1));
  const row = arranged[index];
  return row === undefined ? state : { ...state, selected: { key: row.key, index } };
}

/** Enter keeps the filter, Esc clears it. The rows follow each character. */
function typeFilter(state: ListState, key: Key): ListState {
  if (key === 'enter') return { ...state, mode: 'list' };
  if (key === 'escape') return { ...state, mode: 'list', filter: '' };
  if (key === 'backspace') return { ...state, filter: Array.from(state.filter).slice(0, -1).join('') };
  return Array.from(key).length === 1 ? { ...state, filter: state.filter + key } : state;
}
