import { expect, it } from 'vitest';
import { terminationText } from './termination-text.js';

it.each([
  [{ exitCode: 0, reason: 'Completed' }, 'exited with 0'],
  [{ exitCode: 137, reason: 'OOMKilled' }, 'exited with 137 (OOMKilled)'],
  [{ exitCode: 139, signal: 11 }, 'killed by signal 11'],
  [{}, 'exited with 0'],
])('formats %j as %s', (terminated, text) => {
  expect(terminationText(terminated)).toBe(text);
});
