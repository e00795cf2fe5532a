import { stripVTControlCharacters } from 'node:util';
import { clearLine, clearToEnd, hideCursor, showCursor, wrapOff, wrapOn } from './control-sequences.js';
import { textWidth } from './text-width.js';

/** The part of a TTY stream that the screen uses. */
export interface TerminalOutput {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
}

/** A block of lines at the bottom of the terminal that is redrawn in place; other lines scroll above it. */
export interface LiveScreen {
  /** Replaces the lines of the block; cut to the terminal's height. */
  draw(lines: readonly string[]): void;
  /** Writes a permanent line above the block. */
  print(line: string): void;
}

/** Hides the cursor and disables wrapping only during a write, so that the terminal is intact however the process ends. */
const begin = `${hideCursor}${wrapOff}`;
const finish = `${wrapOn}${showCursor}`;

export function createLiveScreen(output: TerminalOutput): LiveScreen {
  let shown: string[] = [];
  let drawnFor = '';

  const columns = () => output.columns || Number.POSITIVE_INFINITY;
  const size = () => `${output.columns}x${output.rows}`;
  /** Number of terminal rows of the block; a narrowed terminal has wrapped its lines. */
  const height = () => {
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns())), 0);
    return Math.min(rows, Math.max(1, (output.rows || Number.POSITIVE_INFINITY) - 1));
  };
  /** A line of full width leaves the cursor on its last character, which clearing would erase. */
  const whole = (line: string) => (widthOf(line) < columns() ? `${line}${clearLine}\n` : `${line}\n`);
  const show = (above: string, lines: readonly string[]) => {
    const up = shown.length > 0 ? `\x1b[${height()}A\r` : '\r';
    output.write(`${begin}${up}${above}${lines.map(whole).join('')}${clearToEnd}${finish}`);
    shown = [...lines];
    drawnFor = size();
  };
  return {
    draw(lines) {
      const room = Math.max(1, (output.rows || 24) - 1);
      const cut =
        lines.length > room ? [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines`.slice(0, columns())] : lines;
      if (drawnFor === size() && cut.length === shown.length && cut.every((line, index) => line === shown[index])) return;
      show('', cut);
    },
    print(line) {
      show(`${wrapOn}${line}${clearLine}\n${wrapOff}`, shown);
    },
  };
}

const widthOf = (line: string) => textWidth(stripVTControlCharacters(line));
