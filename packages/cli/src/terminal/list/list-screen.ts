import { invert } from '../paint.js';
import { printable } from '../printable.js';
import { shorten, type TableStyle, tableLines } from '../table.js';
import type { ListModel, ListRow } from './list-model.js';
import { arrangeRows, chosenSort, type ListState, selectedIndex } from './list-state.js';
import { wrapText } from './wrap-text.js';

/** A terminal's size, and whether it has colours. */
export interface ScreenStyle extends TableStyle {
  height: number;
}

/** Rows of the table that explanation, notes and header must leave. */
const minRows = 3;
const maxExplanation = 3;
const maxNotes = 4;
/** Title, heading of the table, and keys. */
const fixedLines = 3;

/** The lines of the screen, exactly as many as it has rows, none wider than its columns. */
export function listScreen(model: ListModel, state: ListState, style: ScreenStyle): string[] {
  const { width, height } = style;
  if (state.mode === 'help')
    return fill(
      helpLines(model).map((line) => shorten(line, width)),
      shorten('any key: back', width),
      height,
    );
  const arranged = arrangeRows(model, state);
  const index = selectedIndex(arranged, state);
  const parts = fitParts(model, arranged[index], style);
  const table = tableWindow(model, arranged, index, parts.room, style);
  const head = [printable(model.title), ...parts.header.map(printable), ...(parts.isSpaced ? [filterText(model, state, arranged)] : [])];
  const below = [...parts.explanation, ...parts.notes];
  const gap = Math.max(0, height - head.length - table.length - below.length - 1);
  return [
    ...head.map((line) => shorten(line, width)),
    ...table,
    ...Array.from({ length: gap }, () => ''),
    ...below,
    shorten(state.mode === 'filter' ? `filter: ${printable(state.filter)}_` : hintText(model, state, width), width),
  ].slice(0, height);
}

/** The number of rows that PgUp and PgDn skip. */
export const pageOf = (model: ListModel, style: ScreenStyle): number => Math.max(1, fitParts(model, undefined, style).room - 1);

interface ScreenParts {
  header: readonly string[];
  explanation: string[];
  notes: string[];
  isSpaced: boolean;
  /** Lines for rows. */
  room: number;
}

/** What fits beside the rows: in this order the explanation, the header, an empty line, and notes. */
function fitParts({ header, rows, notes }: ListModel, selected: ListRow | undefined, { width, height }: ScreenStyle): ScreenParts {
  let spare = height - fixedLines - Math.min(minRows, rows.length);
  const take = (lines: readonly string[], most: number) => {
    const taken = spare >= Math.min(lines.length, most) ? lines.slice(0, most) : [];
    spare -= taken.length;
    return taken;
  };
  const explanation = take(explanationLines(selected, width), maxExplanation + 1);
  const shownHeader = take(header, header.length);
  const [blank] = take([''], 1);
  const shownNotes = take(
    notes.slice(-maxNotes).map((note) => shorten(printable(note), width)),
    maxNotes,
  );
  const used = explanation.length + shownHeader.length + (blank === undefined ? 0 : 1) + shownNotes.length;
  return {
    header: shownHeader,
    explanation: [...explanation],
    notes: [...shownNotes],
    isSpaced: blank !== undefined,
    room: Math.max(1, height - fixedLines - used),
  };
}

/** The sentence below an empty line; describe has it in full. */
function explanationLines(selected: ListRow | undefined, width: number): string[] {
  const lines = wrapText(printable(selected?.explain() ?? ''), width);
  if (lines.join('') === '') return [];
  return ['', ...(lines.length > maxExplanation ? [...lines.slice(0, maxExplanation - 1), '…'] : lines)];
}

/** The heading and the rows around the selected one; if not all fit, the last line counts the others. */
function tableWindow(model: ListModel, arranged: readonly ListRow[], index: number, room: number, style: ScreenStyle): string[] {
  const { width, colours } = style;
  const isWhole = arranged.length <= room;
  const shown = isWhole ? room : Math.max(1, room - 1);
  const start = Math.max(0, Math.min(index - Math.floor(shown / 2), arranged.length - shown));
  const rows = arranged.map(({ cells, health }) => ({ ...cells, health }));
  const window = { start, end: start + shown };
  const [heading = '', ...lines] = tableLines(model.kind.layout, rows, { width: Math.max(0, width - marked.length), colours }, window);
  const visible = lines.map((line, at) => markRow(line, start + at === index, colours));
  return [
    shorten(`${unmarked}${heading}`, width),
    ...visible.map((line) => (width < marked.length ? '' : line)),
    ...(isWhole || room < 2 ? [] : [shorten(hiddenText(arranged, start, shown), width)]),
  ];
}

const marked = '> ';
const unmarked = '  ';

function markRow(line: string, isSelected: boolean, colours: boolean): string {
  if (!isSelected) return `${unmarked}${line}`;
  return colours ? invert(`${marked}${line}`) : `${marked}${line}`;
}

function hiddenText(arranged: readonly ListRow[], start: number, shown: number): string {
  const hidden = [...arranged.slice(0, start), ...arranged.slice(start + shown)];
  const unhealthy = hidden.filter(({ health }) => health !== 'good').length;
  return `… rows ${start + 1} to ${start + shown} of ${arranged.length}${unhealthy === 0 ? '' : `; ${unhealthy} hidden ones are not healthy`}`;
}

const filterText = ({ rows }: ListModel, { filter }: ListState, arranged: readonly ListRow[]) =>
  filter === '' ? '' : `filter "${printable(filter)}": ${arranged.length} of ${rows.length} rows (Esc: all)`;

/** The keys that fit, the most important ones first. */
function hintText({ kind }: ListModel, state: ListState, width: number): string {
  const hints = ['q quit', '? help', 'Enter describe', 'l logs', 'e exec', '/ filter', `s sort: ${chosenSort(kind.sorts, state).name}`];
  let text = '';
  for (const hint of hints) {
    const longer = text === '' ? hint : `${text}  ${hint}`;
    if (longer.length > width) break;
    text = longer;
  }
  return text;
}

function helpLines({ kind }: ListModel): string[] {
  return [
    'Keys',
    '',
    'up, down, j, k   select a row; PgUp, PgDn, Home and End too',
    'Enter            describe the pod, or show why the manifest was rejected',
    'l                follow the log of the pod',
    'e                run a shell in the pod',
    `s                next order: ${kind.sorts.map(({ name }) => name).join(', ')}`,
    '/                show only rows with a text; Enter keeps the filter, Esc clears it',
    'q, Ctrl-C        quit',
  ];
}

/** The lines, empty ones up to the last row, and the last row. */
function fill(lines: readonly string[], last: string, height: number): string[] {
  const shown = lines.slice(0, Math.max(0, height - 1));
  return [...shown, ...Array.from({ length: Math.max(0, height - 1 - shown.length) }, () => ''), last].slice(0, height);
}
