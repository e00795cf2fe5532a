import { expect, it } from 'vitest';
import { type SuiteReport, suiteTable } from './suite-table.js';

const report = (suite: string, ...statuses: string[]): SuiteReport => ({
  testResults: [
    {
      name: `/home/you/tests/e2e/${suite}.e2e.ts`,
      status: statuses.includes('failed') ? 'failed' : 'passed',
      assertionResults: statuses.map((status) => ({ status })),
    },
  ],
});

it('has a row for each suite with tests that ran, with the last result on each runtime', () => {
  const crun = [report('volumes', 'passed', 'failed'), report('cgroups', 'passed', 'skipped'), report('volumes', 'passed', 'passed')];
  const runc = [report('volumes', 'failed', 'passed'), report('networks', 'skipped')];
  const table = suiteTable([
    { runtime: 'crun 1.8.1', reports: crun },
    { runtime: 'runc 1.1.5', reports: runc },
  ]);
  expect(table.split('\n')).toEqual([
    '| suite | tests | crun 1.8.1 | runc 1.1.5 |',
    '| --- | --: | --- | --- |',
    '| `cgroups` | 1 | passed | not run |',
    '| `volumes` | 2 | passed | 1 passed |',
  ]);
});

it('has a suite whose preparation has failed', () => {
  const [result] = report('volumes', 'skipped').testResults;
  const table = suiteTable([{ runtime: 'crun', reports: [{ testResults: [{ ...result, status: 'failed' } as never] }] }]);
  expect(table).toContain('| `volumes` | 1 | 0 passed |');
});
