import { expect, it } from 'vitest';
import type { PodRow } from './pod-row.js';
import { screenState } from './pods-screen.js';

const row = (mood: PodRow['mood']): PodRow => ({ name: 'p', mood, ready: '', status: 'Running', restarts: '', age: '', lastEvent: '' });

it.each<[PodRow['mood'][], string]>([
  [[], 'no pods'],
  [['good'], '1 pod, all healthy'],
  [['good', 'waiting', 'bad'], '3 pods, 1 healthy'],
])('the summary of %j', (moods, text) => {
  expect(screenState(moods.map(row), [])).toBe(text);
});
