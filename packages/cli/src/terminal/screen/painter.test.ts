import { expect, it } from 'vitest';
import { createPainter, frameOf } from './painter.js';
import { createTestTerminal } from './test-terminal.js';

it.each<[string, string[] | undefined, string[], string]>([
  ['nothing without a change', ['a', 'b'], ['a', 'b'], ''],
  ['only lines that changed', ['a', 'b', 'c'], ['a', 'x', 'c'], '\x1b[2;1H\x1b[Kx'],
  ['nothing for an empty line on an empty screen', [], ['', 'a'], '\x1b[2;1H\x1b[Ka'],
  ['an empty line in place of one that is no longer there', ['a', 'b'], ['a'], '\x1b[2;1H\x1b[K'],
  ['everything if it is unknown what the terminal shows', undefined, ['a'], '\x1b[H\x1b[J\x1b[1;1H\x1b[Ka'],
])('writes %s', (_, shown, lines, frame) => {
  expect(frameOf(shown, lines)).toBe(frame);
});

it('draws on the alternate screen, a frame at once, and restores the terminal', () => {
  const { stdout } = createTestTerminal(80, 24);
  const painter = createPainter(stdout);
  painter.enter();
  painter.paint(['a']);
  painter.paint(['a']);
  painter.leave();
  painter.leave();
  painter.paint(['b']);
  expect(stdout.writes).toEqual([
    '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[J',
    '\x1b[?2026h\x1b[1;1H\x1b[Ka\x1b[?2026l',
    '\x1b[?7h\x1b[?25h\x1b[?1049l',
  ]);
});

it('skips frames while the terminal takes no output, and then draws the newest one', () => {
  const { stdout } = createTestTerminal(80, 24);
  const listeners: (() => void)[] = [];
  const writes: string[] = [];
  const slow = {
    ...stdout,
    write(text: string | Uint8Array) {
      writes.push(String(text));
      return false;
    },
    on: (event: string, listener: () => void) => event === 'drain' && listeners.push(listener),
  };
  const painter = createPainter(slow);
  painter.enter();
  for (const text of ['a', 'b', 'c']) painter.paint([text]);
  expect(writes).toHaveLength(1);
  listeners[0]?.();
  painter.paint(['d']);
  expect(writes.slice(1)).toEqual(['\x1b[?2026h\x1b[1;1H\x1b[Kc\x1b[?2026l']);
  listeners[0]?.();
  expect(writes.at(-1)).toContain('\x1b[Kd');
});
