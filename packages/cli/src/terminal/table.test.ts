import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { PodRow } from './pod-row.js';
import { renderTable, type TableLayout, tableLines } from './table.js';
import { textWidth } from './text-width.js';

const row: PodRow = {
  name: 'default/web',
  ready: '1/2',
  status: 'CrashLoopBackOff',
  restarts: '3',
  age: '5m',
  lastEvent: '2s ago BackOff: waits',
  health: 'bad',
};

it('aligns columns under their headings', () => {
  const [head, line] = renderTable([row], 120, false);
  expect(head?.indexOf('STATUS')).toBe(line?.indexOf('CrashLoopBackOff'));
  expect(head?.indexOf('LAST EVENT')).toBe(line?.indexOf('2s ago'));
});

it.each([0, 1, 5, 20, 40, 79])('is never wider than %i', (width) => {
  for (const line of renderTable([row], width, false)) expect(line.length).toBeLessThanOrEqual(width);
});

it('colours the status only when asked, and colours change no width', () => {
  expect(renderTable([row], 100, false).join('')).toBe(stripVTControlCharacters(renderTable([row], 100, false).join('')));
  expect(renderTable([row], 100, true).join('')).toContain('\x1b[');
  expect(stripVTControlCharacters(renderTable([row], 100, true).join('\n'))).toBe(renderTable([row], 100, false).join('\n'));
});

it('removes control characters from messages', () => {
  const [, line] = renderTable([{ ...row, lastEvent: 'a\x1b[2Jb\nc' }], 200, false);
  expect(line).toContain('a [2Jb c');
});

describe('a long pod name', () => {
  const long = { ...row, name: `default/${'payments-api-'.repeat(5)}5d78c9869d-abcde`, health: 'waiting' as const };
  const short = { ...row, status: 'Running', lastEvent: '1m ago Started: Container started' };

  it.each([80, 100, 120])('leaves the last events at %i columns, and other names in full', (width) => {
    const [head, ...lines] = renderTable([short, long], width, false);
    expect(head).toContain('LAST EVENT');
    expect(lines[0]).toMatch(/^default\/web {2,}1\/2 .* 5m {3}1m ago Started/);
    expect(lines[1]).toMatch(/^default\/\S*…\S*-abcde {2}1\/2 .* 5m {3}2s ago/);
  });

  it('shares the width with the last events, and takes what remains', () => {
    const eventsAt = (lastEvent: string) => renderTable([{ ...long, lastEvent }], 160, false)[0]?.indexOf('LAST EVENT');
    expect(eventsAt('x'.repeat(200))).toBe(101);
    expect(eventsAt('-')).toBe(42 + long.name.length);
  });

  it('is in full where there is room', () => {
    expect(renderTable([long], 160, false)[1]).toContain(long.name);
  });
});

describe('wide characters', () => {
  const wide = { ...row, status: '待機中', lastEvent: '2s ago Failed: 名前/日本語:1 が見つかりません 👩‍👩‍👧‍👦' };

  it('take two cells, so that later columns are aligned', () => {
    const [head = '', line = ''] = renderTable([wide], 120, false);
    const cellsBefore = (text: string, part: string) => textWidth(text.slice(0, text.indexOf(part)));
    expect(cellsBefore(line, '2s ago')).toBe(cellsBefore(head, 'LAST EVENT'));
  });

  it.each(Array.from({ length: 30 }, (_, index) => 60 + index))('stay within %i columns, never half of one', (width) => {
    for (const line of renderTable([wide], width, false)) {
      expect(textWidth(line)).toBeLessThanOrEqual(width);
      expect(line).not.toMatch(/\p{Cs}/u);
    }
  });

  it('count as they are printed: control characters are one space', () => {
    const layout: TableLayout<'name' | 'status'> = { headings: { name: 'POD', status: 'STATUS' }, name: 'name', dispensable: [] };
    expect(tableLines(layout, [{ name: 'a\x1b\x07\x00b', status: 'c' }], { width: 40, colours: false })[1]).toBe('a b  c');
  });
});

it('draws only the rows of a window, in columns that fit all rows', () => {
  const rows = [row, { ...row, status: 'Running' }, { ...row, name: 'default/with-a-longer-name' }];
  const layout: TableLayout<'name' | 'status'> = { headings: { name: 'POD', status: 'STATUS' }, name: 'name', dispensable: [] };
  const style = { width: 100, colours: false };
  const [heading, ...lines] = tableLines(layout, rows, style);
  expect(tableLines(layout, rows, style, { start: 1, end: 2 })).toEqual([heading, lines[1]]);
});
