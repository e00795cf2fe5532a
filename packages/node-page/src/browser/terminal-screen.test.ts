import { describe, expect, it } from 'vitest';
import { terminalRuns } from './terminal-runs.js';
import { createTerminalScreen, type TerminalScreen } from './terminal-screen.js';

/** Without the empty lines at the end. */
function textOf(screen: TerminalScreen): string[] {
  const lines = screen.view().lines.map(({ characters }) => characters.join('').trimEnd());
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}
const cursorOf = (screen: TerminalScreen) => [screen.view().cursor.line, screen.view().cursor.column];

/** The lines after this output, on a screen of 10 columns and 4 rows. */
function shown(output: string): string[] {
  const screen = createTerminalScreen({ columns: 10, rows: 4 });
  screen.write(output);
  return textOf(screen);
}

describe('a terminal shows', () => {
  it.each<[string, string, string[]]>([
    ['lines', 'one\r\ntwo', ['one', 'two']],
    ['a line overwritten after a carriage return', '50 %\r100', ['100%']],
    ['a character removed by backspace, space, backspace', 'ab\b \b', ['a']],
    ['tabulators', 'a\tb', ['a       b']],
    ['long lines on several', 'abcdefghijklm', ['abcdefghij', 'klm']],
    ['a full line without an empty one after it', 'abcdefghij\r\nk', ['abcdefghij', 'k']],
    ['a cleared screen', 'one\r\ntwo\u001b[H\u001b[2Jthree', ['three']],
    ['the rest of a line erased', 'hello\r\u001b[2C\u001b[K', ['he']],
    ['a line erased up to the cursor', 'hello\b\b\u001b[1K', ['    o']],
    ['deleted and inserted characters', 'abcdef\r\u001b[2Pxy\u001b[@z', ['xyzef']],
    ['inserted lines', 'a\r\nb\u001b[A\u001b[L\rnew', ['new', 'a', 'b']],
    ['deleted lines', 'a\r\nb\r\nc\u001b[2A\u001b[2;1H\u001b[M', ['a', 'c']],
    ['positioned text', '\u001b[2;3Hx', ['', '  x']],
    ['no titles, links and unknown sequences', '\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b\u001b[5 q\u001b(Bc\u001b>', ['abc']],
    ['wide characters on two cells, and accents on their letter', '日本\b\b!e\u0301', ['日!e\u0301']],
    ['the main screen again after a pager', 'before\u001b[?1049hpager\u001b[?1049l after', ['before aft', 'er']],
    ['a region that scrolls between fixed lines', 'top\u001b[4;1Hend\u001b[2;3r\u001b[3;1Ha\r\nb\r\nc', ['top', 'b', 'c', 'end']],
    ['a line above the first one', 'a\r\nb\u001b[H\u001bMnew', ['new', 'a', 'b']],
  ])('%s', (_, output, lines) => {
    expect(shown(output)).toEqual(lines);
  });

  it('sequences that arrive in pieces, and text after an invalid one', () => {
    const screen = createTerminalScreen({ columns: 10, rows: 4 });
    for (const piece of ['a\u001b', '[3', '1mb\u001b]0;ti', 'tle\u001b', '\\c\u001b[\u0001d']) screen.write(piece);
    expect(textOf(screen)).toEqual(['abc[d']);
  });

  it('at most the maximum number of lines, the newest', () => {
    const screen = createTerminalScreen({ columns: 10, rows: 3 }, 5);
    for (let number = 1; number <= 9; number += 1) screen.write(`\r\n${number}`);
    expect(textOf(screen)).toEqual(['5', '6', '7', '8', '9']);
    expect(cursorOf(screen)).toEqual([4, 1]);
    screen.write('\u001b[Hx');
    expect(textOf(screen)).toEqual(['5', '6', 'x', '8', '9']);
    screen.write('\u001b[3J');
    expect(textOf(screen)).toEqual(['x', '8', '9']);
  });

  it('colours, bold and inverse text, and the cursor as runs of a line', () => {
    const screen = createTerminalScreen({ columns: 40, rows: 4 });
    screen.write(
      'a\u001b[1;31mred\u001b[0m \u001b[97mw\u001b[39;42mg\u001b[0;7mi\u001b[27;4mu\u001b[0;38;5;3my\u001b[38;2;1;2;3;49mz\u001b[m.',
    );
    const { lines, cursor } = screen.view();
    expect(lines.map((line) => terminalRuns(line, cursor.column))).toEqual([
      [
        { text: 'a', classes: '' },
        { text: 'red', classes: 'f2 b' },
        { text: ' ', classes: '' },
        { text: 'w', classes: 'f16' },
        { text: 'g', classes: 'i f3' },
        { text: 'i', classes: 'i f8' },
        { text: 'u', classes: 'u' },
        { text: 'y', classes: 'f4' },
        { text: 'z.', classes: '' },
        { text: ' ', classes: 'cursor' },
      ],
    ]);
  });
});

describe('a terminal', () => {
  it('keeps the line of the cursor when its size changes', () => {
    const screen = createTerminalScreen({ columns: 10, rows: 4 });
    screen.write('1\r\n2\r\n3\r\n4\r\n5');
    screen.resize({ columns: 8, rows: 2 });
    expect(cursorOf(screen)).toEqual([4, 1]);
    screen.write('\r\n6\u001b[H-');
    expect(textOf(screen)).toEqual(['1', '2', '3', '4', '-', '6']);
    screen.resize({ columns: 8, rows: 10 });
    screen.write('\u001b[H+');
    expect(textOf(screen)).toEqual(['+', '2', '3', '4', '-', '6']);
  });

  it('answers where the cursor is and what it is', () => {
    const screen = createTerminalScreen({ columns: 10, rows: 4 });
    expect(screen.write('\r\nab\u001b[6n')).toBe('\u001b[2;3R');
    expect(screen.write('\u001b[5n\u001b[c')).toBe('\u001b[0n\u001b[?6c');
    expect(screen.write('text')).toBe('');
  });

  it('knows the modes that programs switch on, and whether the cursor is shown', () => {
    const screen = createTerminalScreen({ columns: 10, rows: 4 });
    screen.write('\u001b[?1;25;2004h');
    expect(screen.modes).toEqual({ applicationKeys: true, bracketedPaste: true });
    screen.write('\u001b[?25l');
    expect(screen.view().cursor.isVisible).toBe(false);
    screen.write('\u001bc');
    expect(screen.modes).toEqual({ applicationKeys: false, bracketedPaste: false });
  });

  it('stays within its bounds whatever a program writes', () => {
    const screen = createTerminalScreen({ columns: 10, rows: 4 }, 20);
    const finals = 'ABCDEFGHJKLMPSTX@dfmnrsu';
    for (const final of finals) screen.write(`x\u001b[999999999${final}y\u001b[0;0${final}\u001b[9;1;2;3${final}\u001b8`);
    screen.write(`\u001b]${'x'.repeat(10_000)}`);
    screen.write('e\u0301\u0301'.padEnd(200, '\u0301'));
    const { lines, cursor } = screen.view();
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(Math.max(...lines.map(({ characters }) => characters.length))).toBeLessThanOrEqual(10);
    expect(Math.max(...lines.flatMap(({ characters }) => characters.map((each) => each.length)))).toBeLessThanOrEqual(17);
    expect(cursor.line).toBeLessThan(lines.length);
  });
});
