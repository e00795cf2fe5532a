import { expect, it } from 'vitest';
import { appendLines, maxPaneLines, paneScreen, pressPaneKey, type TextPane } from './text-pane.js';

const style = { width: 40, height: 6, colours: false };
const pane = (count: number, top: TextPane['top'] = 0): TextPane => ({
  title: 'log of default/web',
  lines: Array.from({ length: count }, (_, index) => `line ${index}`),
  top,
});
const press = (from: TextPane, ...keys: string[]) =>
  keys.reduce<TextPane>((current, key) => {
    const next = pressPaneKey(current, key, style);
    if (typeof next === 'string') throw new Error(`${key}: ${next}`);
    return next;
  }, from);

it('shows the text between its title and the keys', () => {
  expect(paneScreen(pane(2), style)).toEqual([
    'log of default/web',
    'line 0',
    'line 1',
    '',
    '',
    'Esc back  up, down, PgUp, PgDn, Home, E…',
  ]);
  expect(paneScreen(pane(9, 3), { ...style, width: 80 })).toEqual([
    'log of default/web',
    'line 3',
    'line 4',
    'line 5',
    'line 6',
    'Esc back  up, down, PgUp, PgDn, Home, End scroll  (lines 4 to 7 of 9)',
  ]);
});

it.each<[string[], TextPane['top']]>([
  [['down', 'down'], 2],
  [['down', 'up', 'up'], 0],
  [['pageDown'], 4],
  [['end'], 'end'],
  [['pageDown', 'pageDown', 'pageDown', 'pageDown', 'pageDown'], 'end'],
  [['end', 'up'], 15],
  [['end', 'home'], 0],
  [['x'], 0],
])('scrolls: after %j the first line is %s', (keys, top) => {
  expect(press(pane(20), ...keys).top).toBe(top);
});

it('follows new lines at the end, and stays where the user scrolled to', () => {
  expect(paneScreen(appendLines(pane(20, 'end'), ['new']), style).slice(1, -1)).toEqual(['line 17', 'line 18', 'line 19', 'new']);
  expect(paneScreen(appendLines(pane(20, 3), ['new']), style)[1]).toBe('line 3');
});

it.each([
  ['escape', 'back'],
  ['q', 'back'],
  ['interrupt', 'quit'],
])('%s: %s', (key, result) => {
  expect(pressPaneKey(pane(1), key, style)).toBe(result);
});

it('wraps long lines, and removes what controls the terminal', () => {
  const lines = ['word '.repeat(10).trim(), '\x1b[31mred\x1b[0m\tend\x07'];
  expect(paneScreen({ title: 't', lines, top: 0 }, style).slice(1, 4)).toEqual([
    'word word word word word word word word',
    'word word',
    'red    end ',
  ]);
});

it('keeps a bounded number of lines', () => {
  expect(appendLines(pane(maxPaneLines), ['last']).lines).toHaveLength(maxPaneLines);
});

it.each([
  [1, 1],
  [5, 2],
  [300, 60],
])('has exactly the size %ix%i', (width, height) => {
  const lines = paneScreen(pane(30), { width, height, colours: false });
  expect(lines).toHaveLength(height);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
});
