import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { v8FlagsOf } from './v8-flags.js';

it.each([
  ['20.19.0', '--interrupt-budget=100000000', '--turbofan'],
  ['22.23.3', '--invocation-count-for-turbofan=100000', '--turbofan'],
  ['24.21.0', '--invocation-count-for-maglev=100000', '--maglev'],
  ['26.0.0', '--invocation-count-for-maglev=100000', '--maglev'],
])('optimizes only constantly running code of an agent on Node %s', (version, threshold, compiler) => {
  const { atStart, later } = v8FlagsOf('run', version);
  expect(atStart).toEqual(expect.arrayContaining(['--heap-growing-percent=20', '--no-turbofan', '--no-maglev', threshold]));
  expect(later).toEqual([compiler]);
});

it.each(['simulate-cluster', undefined])('leaves V8 as it is for %s', (command) => {
  expect(v8FlagsOf(command, '24.21.0')).toEqual({ atStart: [], later: [] });
});

it('names only flags that this Node has', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  const { atStart, later } = v8FlagsOf('run', process.versions.node);
  for (const flag of [...atStart, ...later]) expect(known).toContain(`  --${flag.replace(/^--(no-)?/, '').split('=')[0]} `);
});
