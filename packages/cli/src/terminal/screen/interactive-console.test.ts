import { expect, it } from 'vitest';
import { isForegroundProcess } from '../../console.js';
import { interactiveConsole } from './interactive-console.js';
import { createTestTerminal } from './test-terminal.js';

const { console } = createTestTerminal(80, 24);

it('is a terminal whose foreground process this is', () => {
  expect(interactiveConsole(console)).toBeDefined();
});

it.each([
  ['stdout is a pipe', { stdout: { ...console.stdout, isTTY: false } }],
  ['stdin is a pipe', { stdin: Object.assign(Object.create(console.stdin), { isTTY: false }) }],
  ['the terminal cannot move its cursor', { env: { TERM: 'dumb' } }],
  ['the process runs in the background', { isForeground: () => false }],
])('is none if %s', (_, changes) => {
  expect(interactiveConsole({ ...console, ...changes })).toBeUndefined();
});

it('is interrupted by signals and by keys', () => {
  const terminal = createTestTerminal(80, 24);
  const interactive = interactiveConsole(terminal.console);
  const reasons: string[] = [];
  const stop = interactive?.onInterrupt((why) => reasons.push(why));
  terminal.end('SIGTERM');
  interactive?.interrupt('SIGINT');
  stop?.();
  interactive?.interrupt('SIGINT');
  terminal.end('SIGTERM');
  expect(reasons).toEqual(['SIGTERM', 'SIGINT']);
});

it.each([
  ['12 (node) S 1 12 12 34816 12 4194560 1', true],
  ['12 (node) S 1 12 10 34816 10 4194560 1', false],
  // The name of a program may have parentheses and spaces.
  ['12 (a) b (c) S 1 12 10 34816 12 4194560 1', true],
  ['', true],
])('reads from %j whether the process is in the foreground', (stat, isForeground) => {
  expect(isForegroundProcess(stat)).toBe(isForeground);
});
