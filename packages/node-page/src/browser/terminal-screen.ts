import { TerminalBuffer, type TerminalLine, type TerminalSize } from './terminal-buffer.js';
import { type OutputToken, parseOutput } from './terminal-output.js';
import { type CellStyle, plainStyle, styleAfter } from './terminal-style.js';

/** What a viewer sees: scrollback and screen, oldest line first, and where the cursor is. */
export interface TerminalView {
  lines: readonly TerminalLine[];
  cursor: { line: number; column: number; isVisible: boolean };
}

/** A terminal of the kind xterm, as far as shells, pagers and editors need it. It keeps at most `maxLines`. */
export interface TerminalScreen {
  /** Takes output; returns what the terminal answers to its requests. */
  write(output: string): string;
  resize(size: TerminalSize): void;
  view(): TerminalView;
  /** What the program has switched on: keys of application mode, and marks around pasted text. */
  readonly modes: { applicationKeys: boolean; bracketedPaste: boolean };
}

/** A position in the screen, from 0; after the last cell of a full line the column is the number of columns. */
interface Cursor {
  row: number;
  column: number;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const combining = /[\p{Mn}\p{Me}\p{Cf}]/u;

export function createTerminalScreen(size: TerminalSize, maxLines = 2_000): TerminalScreen {
  return new Screen(size, maxLines);
}

class Screen implements TerminalScreen {
  readonly #maxLines: number;
  #size: TerminalSize;
  #buffer: TerminalBuffer;
  #cursor: Cursor = { row: 0, column: 0 };
  #saved: Cursor = { row: 0, column: 0 };
  #style: CellStyle = plainStyle;
  /** The main screen while a program shows the alternate one. */
  #main: { buffer: TerminalBuffer; cursor: Cursor } | undefined;
  #isCursorVisible = true;
  #pending = '';
  #answer = '';
  readonly modes = { applicationKeys: false, bracketedPaste: false };

  constructor(size: TerminalSize, maxLines: number) {
    this.#size = size;
    this.#maxLines = maxLines;
    this.#buffer = new TerminalBuffer(size, maxLines);
  }

  write(output: string): string {
    const { tokens, rest } = parseOutput(this.#pending + output);
    this.#pending = rest;
    for (const token of tokens) this.#take(token);
    const answer = this.#answer;
    this.#answer = '';
    return answer;
  }

  resize(size: TerminalSize): void {
    const { row, column } = this.#cursor;
    const line = this.#buffer.top + row;
    this.#size = size;
    this.#buffer.resize(size.rows);
    this.#main?.buffer.resize(size.rows);
    this.#moveTo(line - this.#buffer.top, column);
  }

  view(): TerminalView {
    const { row, column } = this.#cursor;
    this.#buffer.line(row);
    return { lines: this.#buffer.lines, cursor: { line: this.#buffer.top + row, column, isVisible: this.#isCursorVisible } };
  }

  #take(token: OutputToken): void {
    if (token.type === 'text') this.#print(token.text);
    else if (token.type === 'control') this.#controls[token.character]?.();
    else if (token.type === 'escape') this.#escapes[token.final]?.();
    else if (token.prefix === '?') this.#setModes(token.parameters, token.final);
    else if (token.prefix === '') this.#sequences[token.final]?.(token.parameters);
  }

  #print(text: string): void {
    const isSimple = /^[ -~]*$/.test(text);
    for (const character of text) {
      if (!isSimple && combining.test(character)) this.#buffer.combine(this.#cursor.row, this.#cursor.column, character);
      else this.#put(character, !isSimple && wide.test(character) ? 2 : 1);
    }
  }

  #put(character: string, width: number): void {
    if (this.#cursor.column + width > this.#size.columns) {
      this.#cursor.column = 0;
      this.#lineFeed();
    }
    const { row, column } = this.#cursor;
    this.#buffer.put(row, column, character, this.#style);
    if (width === 2) this.#buffer.put(row, column + 1, '', this.#style);
    this.#cursor.column = column + width;
  }

  #moveTo(row: number, column: number): void {
    this.#cursor = { row: within(row, this.#size.rows), column: within(column, this.#size.columns) };
  }

  #moveBy(rows: number, columns: number): void {
    this.#moveTo(this.#cursor.row + rows, Math.min(this.#cursor.column, this.#size.columns - 1) + columns);
  }

  #lineFeed(): void {
    if (this.#cursor.row === this.#buffer.region.last) this.#buffer.scrollUp(1);
    else if (this.#cursor.row < this.#size.rows - 1) this.#cursor.row += 1;
  }

  #reverseLineFeed(): void {
    if (this.#cursor.row === this.#buffer.region.first) this.#buffer.scrollDown(1);
    else if (this.#cursor.row > 0) this.#cursor.row -= 1;
  }

  readonly #controls: Readonly<Record<string, () => void>> = {
    '\r': () => this.#moveTo(this.#cursor.row, 0),
    '\n': () => this.#lineFeed(),
    '\v': () => this.#lineFeed(),
    '\f': () => this.#lineFeed(),
    '\b': () => this.#moveBy(0, -1),
    '\t': () => this.#moveTo(this.#cursor.row, (Math.floor(this.#cursor.column / 8) + 1) * 8),
  };

  readonly #escapes: Readonly<Record<string, () => void>> = {
    7: () => this.#save(),
    8: () => this.#restore(),
    D: () => this.#lineFeed(),
    E: () => {
      this.#moveTo(this.#cursor.row, 0);
      this.#lineFeed();
    },
    M: () => this.#reverseLineFeed(),
    c: () => this.#reset(),
  };

  /** Control sequences by their final character (ECMA-48, 8.3); the first parameter of most is a count, by default 1. */
  readonly #sequences: Readonly<Record<string, (parameters: readonly number[]) => void>> = {
    A: ([count]) => this.#moveBy(-(count || 1), 0),
    B: ([count]) => this.#moveBy(count || 1, 0),
    C: ([count]) => this.#moveBy(0, count || 1),
    D: ([count]) => this.#moveBy(0, -(count || 1)),
    E: ([count]) => this.#moveTo(this.#cursor.row + (count || 1), 0),
    F: ([count]) => this.#moveTo(this.#cursor.row - (count || 1), 0),
    G: ([column]) => this.#moveTo(this.#cursor.row, (column || 1) - 1),
    d: ([row]) => this.#moveTo((row || 1) - 1, this.#cursor.column),
    H: ([row, column]) => this.#moveTo((row || 1) - 1, (column || 1) - 1),
    f: ([row, column]) => this.#moveTo((row || 1) - 1, (column || 1) - 1),
    J: ([part]) => this.#eraseScreen(part ?? 0),
    K: ([part]) => this.#eraseLine(part ?? 0),
    L: ([count]) => this.#buffer.scrollDown(count || 1, this.#cursor.row),
    M: ([count]) => this.#buffer.scrollUp(count || 1, this.#cursor.row),
    P: ([count]) => this.#buffer.deleteCells(this.#cursor.row, this.#cursor.column, count || 1),
    S: ([count]) => this.#buffer.scrollUp(count || 1),
    T: ([count]) => this.#buffer.scrollDown(count || 1),
    X: ([count]) => this.#buffer.erase(this.#cursor.row, this.#cursor.column, this.#cursor.column + (count || 1)),
    '@': ([count]) => this.#insertCells(count || 1),
    m: (parameters) => {
      this.#style = styleAfter(this.#style, parameters);
    },
    n: ([request]) => this.#report(request),
    c: () => {
      this.#answer += '\u001b[?6c';
    },
    r: ([first, last]) => this.#setRegion((first || 1) - 1, (last || this.#size.rows) - 1),
    s: () => this.#save(),
    u: () => this.#restore(),
  };

  #save(): void {
    this.#saved = { ...this.#cursor };
  }

  #restore(): void {
    this.#moveTo(this.#saved.row, this.#saved.column);
  }

  #reset(): void {
    this.#buffer = new TerminalBuffer(this.#size, this.#maxLines);
    this.#main = undefined;
    this.#style = plainStyle;
    this.#moveTo(0, 0);
    Object.assign(this.modes, { applicationKeys: false, bracketedPaste: false });
  }

  /** 0: from the cursor, 1: up to the cursor, 2: all, 3: the scrollback. */
  #eraseScreen(part: number): void {
    const { row } = this.#cursor;
    if (part === 3) this.#buffer.eraseScrollback();
    if (part < 2) this.#eraseLine(part);
    if (part === 0) this.#buffer.eraseRows(row + 1, this.#size.rows);
    else if (part < 3) this.#buffer.eraseRows(0, part === 1 ? row : this.#size.rows);
  }

  #eraseLine(part: number): void {
    const { row, column } = this.#cursor;
    this.#buffer.erase(row, part === 0 ? column : 0, part === 1 ? column + 1 : Number.POSITIVE_INFINITY);
  }

  #insertCells(count: number): void {
    const { columns } = this.#size;
    this.#buffer.insertCells(this.#cursor.row, this.#cursor.column, Math.min(count, columns), columns);
  }

  #setRegion(first: number, last: number): void {
    if (first >= last || last >= this.#size.rows) return;
    this.#buffer.region = { first, last };
    this.#moveTo(0, 0);
  }

  /** 5: the state, 6: the position of the cursor. */
  #report(request: number | undefined): void {
    const { row, column } = this.#cursor;
    if (request === 5) this.#answer += '\u001b[0n';
    if (request === 6) this.#answer += `\u001b[${row + 1};${Math.min(column, this.#size.columns - 1) + 1}R`;
  }

  /** Private modes of xterm. */
  #setModes(parameters: readonly number[], final: string): void {
    if (final !== 'h' && final !== 'l') return;
    const isOn = final === 'h';
    for (const mode of parameters) {
      if (mode === 1) this.modes.applicationKeys = isOn;
      else if (mode === 25) this.#isCursorVisible = isOn;
      else if (mode === 2004) this.modes.bracketedPaste = isOn;
      else if (mode === 47 || mode === 1047 || mode === 1049) this.#showAlternate(isOn);
    }
  }

  #showAlternate(isOn: boolean): void {
    if (isOn === (this.#main !== undefined)) return;
    if (this.#main === undefined) {
      this.#main = { buffer: this.#buffer, cursor: this.#cursor };
      this.#buffer = new TerminalBuffer(this.#size, this.#size.rows);
      this.#moveTo(0, 0);
    } else {
      const { buffer, cursor } = this.#main;
      this.#main = undefined;
      this.#buffer = buffer;
      this.#moveTo(cursor.row, cursor.column);
    }
  }
}

const within = (at: number, length: number) => Math.max(0, Math.min(at, length - 1));
