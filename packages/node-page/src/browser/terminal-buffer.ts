import { type CellStyle, plainStyle } from './terminal-style.js';

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** A line of cells; a wide character takes two, of which the second is empty. */
export interface TerminalLine {
  characters: string[];
  styles: CellStyle[];
  /** Grows with each change. */
  version: number;
}

const newLine = (): TerminalLine => ({ characters: [], styles: [], version: 0 });

/** Makes the line at least so long. */
function pad({ characters, styles }: TerminalLine, length: number): void {
  for (let at = characters.length; at < length; at += 1) {
    characters.push(' ');
    styles.push(plainStyle);
  }
}

/** The lines of a terminal: those of its screen, and before them those that have left its top, of which the newest are kept. */
export class TerminalBuffer {
  readonly #maxLines: number;
  #rows: number;
  lines: TerminalLine[] = [newLine()];
  /** Index of the first line of the screen. */
  top = 0;
  /** The rows that scroll. */
  region: { first: number; last: number };

  constructor({ rows }: TerminalSize, maxLines: number) {
    this.#rows = rows;
    this.#maxLines = maxLines;
    this.region = { first: 0, last: rows - 1 };
  }

  /** The line of a row of the screen. */
  line(row: number): TerminalLine {
    while (this.lines.length <= this.top + row) this.lines.push(newLine());
    return this.lines[this.top + row] as TerminalLine;
  }

  resize(rows: number): void {
    this.#rows = rows;
    this.region = { first: 0, last: rows - 1 };
    this.top = Math.max(0, this.lines.length - rows);
  }

  put(row: number, column: number, character: string, style: CellStyle): void {
    const line = this.line(row);
    pad(line, column);
    line.characters[column] = character;
    line.styles[column] = style;
    line.version += 1;
  }

  /** Adds a combining character to the cell before the column; a cell has at most 16 units. */
  combine(row: number, column: number, character: string): void {
    const line = this.line(row);
    const at = line.characters.findLastIndex((each, index) => index < column && each !== '');
    const before = line.characters[at];
    if (before === undefined || before.length >= 16) return;
    line.characters[at] = before + character;
    line.version += 1;
  }

  /** Clears cells of a row from one column up to another. */
  erase(row: number, from: number, to: number): void {
    const line = this.line(row);
    if (to >= line.characters.length) {
      line.characters.length = Math.min(line.characters.length, from);
      line.styles.length = line.characters.length;
    } else {
      line.characters.fill(' ', from, to);
      line.styles.fill(plainStyle, from, to);
    }
    line.version += 1;
  }

  /** Clears rows from one up to another. */
  eraseRows(from: number, to: number): void {
    for (let row = from; row < to; row += 1) this.erase(row, 0, Number.POSITIVE_INFINITY);
  }

  /** Removes the lines above the screen. */
  eraseScrollback(): void {
    this.lines.splice(0, this.top);
    this.top = 0;
  }

  insertCells(row: number, column: number, count: number, columns: number): void {
    const line = this.line(row);
    pad(line, column);
    line.characters.splice(column, 0, ...Array<string>(count).fill(' '));
    line.styles.splice(column, 0, ...Array<CellStyle>(count).fill(plainStyle));
    this.erase(row, columns, Number.POSITIVE_INFINITY);
  }

  deleteCells(row: number, column: number, count: number): void {
    const line = this.line(row);
    line.characters.splice(column, count);
    line.styles.splice(column, count);
    line.version += 1;
  }

  /** Moves the lines from `first` to the end of the region up; what leaves the top of a screen without a region becomes scrollback. */
  scrollUp(count: number, first = this.region.first): void {
    const { last } = this.region;
    for (let left = Math.min(count, last - first + 1); left > 0; left -= 1) {
      this.line(last);
      this.lines.splice(this.top + last + 1, 0, newLine());
      if (first > 0 || last < this.#rows - 1) this.lines.splice(this.top + first, 1);
      else this.top += 1;
    }
    const surplus = this.lines.length - Math.max(this.#maxLines, this.#rows);
    if (surplus <= 0) return;
    this.lines.splice(0, surplus);
    this.top -= surplus;
  }

  /** Moves the lines from `first` to the end of the region down; the last ones are lost. */
  scrollDown(count: number, first = this.region.first): void {
    const { last } = this.region;
    for (let left = Math.min(count, last - first + 1); left > 0; left -= 1) {
      this.line(last);
      this.lines.splice(this.top + last, 1);
      this.lines.splice(this.top + first, 0, newLine());
    }
  }
}
