import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { v8FlagsOf } from './v8-flags.js';

it('limits the growth of the heap on each version of Node', () => {
  for (const version of ['20.19.0', '22.23.3', '24.21.0', '26.0.0']) {
    expect(v8FlagsOf(version)).toEqual(expect.arrayContaining(['--semi-space-growth-factor=1', '--heap-growing-percent=20']));
  }
});

it('delays optimization only where V8 has the flag', () => {
  expect(v8FlagsOf('20.19.0')).toContain('--interrupt-budget=2000000');
  expect(v8FlagsOf('22.0.0').some((flag) => flag.startsWith('--interrupt-budget'))).toBe(false);
});

it('names only flags that this Node has', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const flag of v8FlagsOf(process.versions.node)) expect(known).toContain(`  ${flag.split('=')[0]} `);
});
