import { expect, it } from 'vitest';
import { fitRows } from './fit-rows.js';
import type { PodRow } from './pod-row.js';

const row = (name: string, health: PodRow['health']): PodRow => ({
  name,
  health,
  ready: '',
  status: '',
  restarts: '',
  age: '',
  lastEvent: '',
});
const rows = [row('a', 'good'), row('b', 'bad'), row('c', 'good'), row('d', 'waiting'), row('e', 'good')];
const names = ({ rows }: { rows: readonly PodRow[] }) => rows.map(({ name }) => name).join('');

it('leaves rows that fit as they are', () => {
  expect(fitRows(rows, 5)).toEqual({ rows, rest: undefined });
});

it.each([
  [4, 'bda', '… 2 more, healthy'],
  [2, 'b', '… 4 more, 3 of them healthy'],
  [1, '', '… 5 more, 3 of them healthy'],
  [0, '', '… 5 more, 3 of them healthy'],
])('shows unhealthy pods first in %i rows', (room, shown, rest) => {
  const fitted = fitRows(rows, room);
  expect(names(fitted)).toBe(shown);
  expect(fitted.rest).toBe(rest);
});
