import { stripVTControlCharacters } from 'node:util';
import { printable } from '../printable.js';
import { shorten } from '../table.js';
import type { Key } from './key.js';
import type { ScreenStyle } from './list-screen.js';
import { wrapText } from './wrap-text.js';

/** A text that fills the screen: a description or a log. */
export interface TextPane {
  title: string;
  /** The last lines of the text; bounded. */
  lines: readonly string[];
  /** The first shown line of the wrapped text; `end`: the last lines are shown, also those that follow. */
  top: number | 'end';
}

/** Lines that a pane keeps. */
export const maxPaneLines = 5_000;

/** The pane with more lines, of which the last {@link maxPaneLines} remain. */
export function appendLines(pane: TextPane, lines: readonly string[]): TextPane {
  return { ...pane, lines: [...pane.lines, ...lines].slice(-maxPaneLines) };
}

/** The next pane after a key; `back`: the pane is closed, `quit`: the command ends. */
export function pressPaneKey(pane: TextPane, key: Key, style: ScreenStyle): TextPane | 'back' | 'quit' {
  if (key === 'interrupt') return 'quit';
  if (key === 'escape' || key === 'q' || key === 'left') return 'back';
  const room = roomOf(style);
  const last = Math.max(0, wrapped(pane, style.width).length - room);
  const top = pane.top === 'end' ? last : Math.min(pane.top, last);
  const targets: Readonly<Record<string, number>> = {
    up: top - 1,
    k: top - 1,
    down: top + 1,
    j: top + 1,
    enter: top + 1,
    pageUp: top - room,
    pageDown: top + room,
    ' ': top + room,
    home: 0,
    end: last,
  };
  const target = targets[key];
  if (target === undefined) return pane;
  // At the end the pane follows; only a key that leaves the end stops that.
  return { ...pane, top: target >= last ? 'end' : Math.max(0, target) };
}

/** The lines of the screen, exactly as many as it has rows. Long lines of the text are wrapped. */
export function paneScreen(pane: TextPane, style: ScreenStyle): string[] {
  const { width, height } = style;
  const lines = wrapped(pane, width);
  const room = roomOf(style);
  const last = Math.max(0, lines.length - room);
  const top = pane.top === 'end' ? last : Math.min(pane.top, last);
  const shown = lines.slice(top, top + room);
  const blank = Array.from({ length: Math.max(0, room - shown.length) }, () => '');
  const place = lines.length <= room ? 'all' : `lines ${top + 1} to ${top + shown.length} of ${lines.length}`;
  const keys = `Esc back  up, down, PgUp, PgDn, Home, End scroll  (${place})`;
  return [shorten(printable(pane.title), width), ...shown, ...blank, shorten(keys, width)].slice(0, height);
}

const roomOf = ({ height }: ScreenStyle) => Math.max(1, height - 2);

/** Logs may contain colours and tabs. */
const wrapped = ({ lines }: TextPane, width: number) =>
  lines.flatMap((line) => wrapText(printable(stripVTControlCharacters(line).replaceAll('\t', '    ')), width));
