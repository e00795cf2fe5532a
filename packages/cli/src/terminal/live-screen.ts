import { stripVTControlCharacters } from 'node:util';

/** Where the screen draws: the part of a TTY stream that it uses. */
export interface TerminalOutput {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
}

/** A block of lines at the bottom of the terminal that is drawn anew in place; other lines scroll by above it. */
export interface LiveScreen {
  /** Shows these lines in place of the last ones; cut to the terminal's height. */
  draw(lines: readonly string[]): void;
  /** Writes a line that stays, above the block. */
  print(line: string): void;
}

/** The cursor is hidden and lines are kept from wrapping only while the block is written: whatever ends the process, all is as before. */
const begin = '\x1b[?25l\x1b[?7l';
const finish = '\x1b[?7h\x1b[?25h';
const wrapOn = '\x1b[?7h';
const wrapOff = '\x1b[?7l';
const clearToEnd = '\x1b[J';
const clearLine = '\x1b[K';

export function createLiveScreen(output: TerminalOutput): LiveScreen {
  let shown: string[] = [];
  let drawnFor = '';

  const columns = () => output.columns || Number.POSITIVE_INFINITY;
  const size = () => `${output.columns}x${output.rows}`;
  /** Rows of the terminal that the block takes: a terminal that became narrower has wrapped its lines. */
  const height = () => {
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns())), 0);
    return Math.min(rows, Math.max(1, (output.rows || Number.POSITIVE_INFINITY) - 1));
  };
  /** A line that reaches the edge leaves the cursor on its last character, which clearing would take away. */
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

const widthOf = (line: string) => stripVTControlCharacters(line).length;
