import { expect, it } from 'vitest';
import { exitCodeOf, signalNumber } from './signals.js';

it.each([
  [undefined, 15],
  ['RUNTIME_DEFAULT', 15],
  ['SIGTERM', 15],
  ['SIGKILL', 9],
  ['SIGCLD', 17],
  ['SIGCHLD', 17],
  ['SIGIOT', 6],
  ['SIGPOLL', 29],
  ['SIGSTKFLT', 16],
  ['SIGRTMIN', 34],
  ['SIGRTMINPLUS15', 49],
  ['SIGRTMAXMINUS14', 50],
  ['SIGRTMAX', 64],
] as const)('%s is %i', (signal, number) => {
  expect(signalNumber(signal)).toBe(number);
});

it('computes the same exit codes as shells', () => {
  expect([exitCodeOf(0, null), exitCodeOf(255, null), exitCodeOf(null, 'SIGTERM'), exitCodeOf(null, 'SIGKILL')]).toEqual([
    0, 255, 143, 137,
  ]);
});
