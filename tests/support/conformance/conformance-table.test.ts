import { expect, it } from 'vitest';
import { specResults } from '../ginkgo-report.js';
import { conformanceTable, judgedResults, mergedResults } from './conformance-table.js';

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

it('lists every conformance spec with its last result', () => {
  const first = report(
    ['see [Serial] [Conformance]', 'failed', 'timed out\nwaiting'],
    ['restart [Conformance]', 'failed', 'no event'],
    ['wait', 'passed'],
  );
  const second = report(['see [Serial] [Conformance]', 'skipped'], ['restart [Conformance]', 'passed']);
  const judged = judgedResults('needs a container\t[sig-api-machinery] Aggregator should work [Conformance]\tits server is a pod\n');
  expect(conformanceTable('sig-api-machinery', mergedResults([first, second, judged])).split('\n')).toEqual([
    '1 of 3 passed.',
    '',
    '| spec | result |',
    '| --- | --- |',
    '| Aggregator should work | needs a container: its server is a pod |',
    '| Watchers restart | passed |',
    '| Watchers see | failed: timed out |',
  ]);
});

it('refuses a line without a spec', () => {
  expect(() => judgedResults('passed')).toThrow('not RESULT<TAB>SPEC<TAB>REASON: passed');
});
