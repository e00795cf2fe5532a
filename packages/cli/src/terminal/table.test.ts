import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import type { PodRow } from './pod-row.js';
import { renderTable } from './table.js';

const row: PodRow = {
  name: 'default/web',
  ready: '1/2',
  status: 'CrashLoopBackOff',
  restarts: '3',
  age: '5m',
  lastEvent: '2s ago BackOff: waits',
  mood: 'bad',
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

it('lets no control characters of messages through', () => {
  const [, line] = renderTable([{ ...row, lastEvent: 'a\x1b[2Jb\nc' }], 200, false);
  expect(line).toContain('a [2Jb c');
});
