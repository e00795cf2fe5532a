import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { PodRow } from './pod-row.js';
import { renderTable } from './table.js';

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
