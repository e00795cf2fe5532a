import { expect, it } from 'vitest';
import type { PodRow } from './pod-row.js';
import { screenState } from './pods-screen.js';

const row = (health: PodRow['health']): PodRow => ({
  name: 'p',
  health,
  ready: '',
  status: 'Running',
  restarts: '',
  age: '',
  lastEvent: '',
});

it.each<[PodRow['health'][], string]>([
  [[], 'no pods'],
  [['good'], '1 pod, all healthy'],
  [['good', 'waiting', 'bad'], '3 pods, 1 healthy'],
])('summarizes the health of %j', (healths, text) => {
  expect(screenState(healths.map(row), [])).toBe(text);
});
