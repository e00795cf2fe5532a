import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { v8FlagsOf } from './v8-flags.js';

it.each([
  ['20.19.0', '--interrupt-budget=100000000'],
  ['22.23.3', '--invocation-count-for-turbofan=100000'],
  ['24.21.0', '--invocation-count-for-maglev=100000'],
  ['26.0.0', '--invocation-count-for-maglev=100000'],
])('limits the heap and the compiled code of an agent on Node %s', (version, flag) => {
  expect(v8FlagsOf('run', version)).toEqual(expect.arrayContaining(['--heap-growing-percent=20', '--optimize-for-size', flag]));
});

it('leaves a cluster in a process as fast as it is', () => {
  expect(v8FlagsOf('simulate-cluster', '24.21.0')).toEqual([]);
  expect(v8FlagsOf(undefined, '24.21.0')).toEqual([]);
});

it('names only flags that this Node has', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const flag of v8FlagsOf('run', process.versions.node))
    expect(known).toContain(`  --${flag.replace(/^--(no-)?/, '').split('=')[0]} `);
});
