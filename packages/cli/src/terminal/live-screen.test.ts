import { expect, it } from 'vitest';
import { createLiveScreen } from './live-screen.js';

/** A terminal that supports the sequences of the screen: cursor up, carriage return, clearing. */
function fakeTerminal(rows = 24) {
  const lines: string[] = [''];
  let at = 0;
  let writes = 0;
  return {
    rows,
    lines,
    get writes() {
      return writes;
    },
    write(text: string) {
      writes++;
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is read here
      for (const [token] of text.matchAll(/\x1b\[\?\d+[lh]|\x1b\[\d+A|\x1b\[[JK]|\r|\n|[^\x1b\r\n]+/g)) {
        if (token.startsWith('\x1b[') && token.endsWith('A')) at = Math.max(0, at - Number.parseInt(token.slice(2), 10));
        else if (token === '\x1b[J') lines.splice(at, Number.POSITIVE_INFINITY, '');
        else if (token === '\x1b[K' || token === '\r' || token.startsWith('\x1b[?')) continue;
        else if (token === '\n') {
          at++;
          lines[at] ??= '';
        } else lines[at] = token;
      }
    },
  };
}

it('draws in place', () => {
  const terminal = fakeTerminal();
  const screen = createLiveScreen(terminal);
  screen.draw(['a', 'b']);
  screen.draw(['c']);
  expect(terminal.lines).toEqual(['c', '']);
});

it('prints lines above the block', () => {
  const terminal = fakeTerminal();
  const screen = createLiveScreen(terminal);
  screen.draw(['table']);
  screen.print('warning');
  expect(terminal.lines).toEqual(['warning', 'table', '']);
});

it('writes nothing when nothing changed', () => {
  const terminal = fakeTerminal();
  const screen = createLiveScreen(terminal);
  screen.draw(['same']);
  const { writes } = terminal;
  screen.draw(['same']);
  expect(terminal.writes).toBe(writes);
});

it('stays within the height of the terminal', () => {
  const terminal = fakeTerminal(4);
  createLiveScreen(terminal).draw(['1', '2', '3', '4', '5']);
  expect(terminal.lines).toEqual(['1', '2', '… 3 more lines', '']);
});
