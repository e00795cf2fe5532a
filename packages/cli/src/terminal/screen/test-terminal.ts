import { PassThrough } from 'node:stream';
import type { Console } from '../../console.js';
import { createTestConsole } from '../../test-console.js';

/** A terminal with keys for tests: `lines()` is what it shows, by the sequences that the painter writes. */
export function createTestTerminal(columns: number, rows: number) {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const test = createTestConsole({ isTTY: true, columns, rows, env: { TERM: 'xterm', NO_COLOR: '1' }, stdin: input });
  const exitListeners = new Set<() => void>();
  const console: Console = {
    ...test.console,
    onExit(listener) {
      exitListeners.add(listener);
      return () => void exitListeners.delete(listener);
    },
  };
  return {
    ...test,
    console,
    modes,
    exitListeners,
    /** Types text, and waits until it is read. */
    async type(text: string) {
      input.write(text);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
    /** The lines that the terminal shows, without those at the end that are empty. */
    lines: () => shownLines(test.stdout.writes.join('')),
  };
}

function shownLines(written: string): string[] {
  const lines: string[] = [];
  let row = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is read here
  for (const [token] of written.matchAll(/\x1b\[[?\d;]*[A-Za-z]|\n|[^\x1b\n]+/g)) {
    if (token === '\x1b[J' || token.endsWith('1049l')) lines.length = 0;
    else if (token.endsWith('H')) row = Number.parseInt(token.slice(2), 10) - 1 || 0;
    else if (token === '\x1b[K') lines[row] = '';
    else if (token === '\n') row++;
    else if (!token.startsWith('\x1b')) lines[row] = token;
  }
  return Array.from(lines, (line) => line ?? '');
}
