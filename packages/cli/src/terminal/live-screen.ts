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
  /** Leaves the block as it is and gives the cursor back. */
  end(): void;
}

const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const clearToEnd = '\x1b[J';
const clearLine = '\x1b[K';

export function createLiveScreen(output: TerminalOutput): LiveScreen {
  let shown: string[] = [];
  let hidden = false;
  const up = () => (shown.length > 0 ? `\x1b[${shown.length}A\r` : '\r');
  const block = (lines: readonly string[]) => lines.map((line) => `${line}${clearLine}\n`).join('');
  const show = (prefix: string, lines: readonly string[]) => {
    const cursor = hidden ? '' : hideCursor;
    hidden = true;
    output.write(`${cursor}${up()}${prefix}${block(lines)}${clearToEnd}`);
    shown = [...lines];
  };
  return {
    draw(lines) {
      const room = Math.max(1, (output.rows ?? 24) - 1);
      const cut = lines.length > room ? [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines`] : lines;
      if (hidden && cut.length === shown.length && cut.every((line, index) => line === shown[index])) return;
      show('', cut);
    },
    print(line) {
      show(`${line}${clearLine}\n`, shown);
    },
    end() {
      if (hidden) output.write(showCursor);
      hidden = false;
      shown = [];
    },
  };
}
