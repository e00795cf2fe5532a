import { expect, it } from 'vitest';
import { specResults } from '../ginkgo-report.js';
import { conformanceTable } from './conformance-table.js';

const report = (...specs: [name: string, state: string, message?: string][]) =>
  specResults([
    {
      SpecReports: specs.map(([name, State, message]) => ({
        ContainerHierarchyTexts: ['[sig-api-machinery] Watchers'],
        LeafNodeType: 'It',
        LeafNodeText: name,
        State,
        ...(message !== undefined && { Failure: { Message: message } }),
      })),
    },
  ]);

it('lists every conformance spec with its last result, and what differed in its run', () => {
  const first = report(
    ['see [Serial] [Conformance]', 'failed', 'timed out\nwaiting'],
    ['restart [Conformance]', 'failed', 'no event'],
    ['end [Conformance]', 'skipped'],
    ['list [Conformance]', 'passed'],
    ['wait', 'passed'],
  );
  const second = report(['see [Serial] [Conformance]', 'skipped'], ['restart [Conformance]', 'passed'], ['list [Conformance]', 'passed']);
  const table = conformanceTable('sig-api-machinery', [{ results: first }, { note: 'with a webhook', results: second }]);
  expect(table.split('\n')).toEqual([
    '2 of 4 passed.',
    '',
    '| spec | result |',
    '| --- | --- |',
    '| `Watchers end` | skipped |',
    '| `Watchers list` | passed |',
    '| `Watchers restart` | passed, with a webhook |',
    '| `Watchers see` | failed, timed out |',
  ]);
});
