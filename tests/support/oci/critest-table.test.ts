import { expect, it } from 'vitest';
import type { GinkgoReport } from '../ginkgo-report.js';
import { critestTables } from './critest-table.js';

const report = (...specs: [name: string, state: string, message?: string][]): GinkgoReport => [
  {
    SpecReports: [
      { ContainerHierarchyTexts: null, LeafNodeType: 'BeforeSuite', LeafNodeText: '', State: 'passed' },
      ...specs.map(([name, State, message]) => ({
        ContainerHierarchyTexts: ['[k8s.io] Container'],
        LeafNodeType: 'It',
        LeafNodeText: name,
        State,
        ...(message !== undefined && { Failure: { Message: message } }),
      })),
    ],
  },
];

it('counts specs, and lists those that did not pass on a runtime with the reason', () => {
  const crun = report(['runs', 'passed'], ['has logs', 'passed'], ['in benchmark', 'skipped']);
  const runc = report(['runs', 'passed'], ['has logs', 'failed', 'failed to open\nthe log'], ['in benchmark', 'skipped', '']);
  const tables = critestTables([
    { runtime: 'crun 1.8.1', report: crun },
    { runtime: 'runc 1.1.5', report: runc },
  ]);
  expect(tables.split('\n')).toEqual([
    '| specs | crun 1.8.1 | runc 1.1.5 |',
    '| --- | --: | --: |',
    '| passed | 2 | 1 |',
    '| failed | 0 | 1 |',
    '| skipped | 1 | 1 |',
    '',
    '| spec | reason | crun 1.8.1 | runc 1.1.5 |',
    '| --- | --- | --- | --- |',
    '| Container has logs | failed to open | passed | failed |',
    '| Container in benchmark | a benchmark: runs only with -benchmark | skipped | skipped |',
  ]);
});
