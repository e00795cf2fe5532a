import type { OutputStream } from '../../console.js';
import { clearLine, clearToEnd, hideCursor, showCursor, wrapOff, wrapOn } from '../control-sequences.js';

/** Draws full screens on the alternate screen of a terminal, and writes only the lines that changed. */
export interface Painter {
  /** Switches to the alternate screen. */
  enter(): void;
  /** Draws the lines from the top. While the terminal takes no more output, only the newest lines are kept. */
  paint(lines: readonly string[]): void;
  /** Draws all lines at the next {@link paint}, because the terminal may show something else. */
  forget(): void;
  /** Restores the screen, the cursor and wrapping. Idempotent. */
  leave(): void;
}

/** Terminals that do not know synchronized updates (DEC mode 2026) ignore them; the others show a frame at once. */
const beginFrame = '\x1b[?2026h';
const endFrame = '\x1b[?2026l';
const clearScreen = `\x1b[H${clearToEnd}`;
const enterScreen = `\x1b[?1049h${hideCursor}${wrapOff}${clearScreen}`;
const leaveScreen = `${wrapOn}${showCursor}\x1b[?1049l`;

export function createPainter(output: OutputStream): Painter {
  return new LinePainter(output);
}

class LinePainter implements Painter {
  readonly #output: OutputStream;
  /** The lines on the screen; undefined if it must be cleared. */
  #shown: readonly string[] | undefined = [];
  /** Lines to draw once the terminal takes output again. */
  #waiting: readonly string[] | undefined;
  #isEntered = false;
  #isFull = false;

  constructor(output: OutputStream) {
    this.#output = output;
    // Writing to a terminal that was closed fails, also at the end of the command; SIGHUP has interrupted it then.
    output.on('error', () => {});
  }

  enter(): void {
    this.#output.on('drain', this.#drained);
    this.#isEntered = true;
    this.#isFull = false;
    this.#shown = [];
    this.#write(enterScreen);
  }

  paint(lines: readonly string[]): void {
    if (!this.#isEntered) return;
    if (this.#isFull) {
      this.#waiting = lines;
      return;
    }
    const frame = frameOf(this.#shown, lines);
    this.#shown = lines;
    if (frame !== '') this.#write(`${beginFrame}${frame}${endFrame}`);
  }

  forget(): void {
    this.#shown = undefined;
  }

  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    this.#waiting = undefined;
    this.#output.off('drain', this.#drained);
    this.#write(leaveScreen);
  }

  readonly #drained = () => {
    this.#isFull = false;
    const lines = this.#waiting;
    this.#waiting = undefined;
    if (lines !== undefined) this.paint(lines);
  };

  #write(text: string): void {
    this.#isFull = this.#output.write(text) === false;
  }
}

/** What changes the lines that a terminal shows into others; a cleared screen if it is unknown what it shows. Empty without a change. */
export function frameOf(shown: readonly string[] | undefined, lines: readonly string[]): string {
  const known = shown ?? [];
  const changed = Array.from({ length: Math.max(known.length, lines.length) }, (_, row) => {
    const line = lines[row] ?? '';
    // The cleared rest of a line is before its text: a line of full width leaves the cursor on its last character.
    return line === (known[row] ?? '') ? '' : `\x1b[${row + 1};1H${clearLine}${line}`;
  }).join('');
  return shown === undefined ? `${clearScreen}${changed}` : changed;
}
