/**
 * `npx tsx tests/e2e/record-conformance.ts FILE...`: writes what Kubernetes' conformance specs of API machinery found to docs/reliability-runs.md.
 * FILE is a report of `e2e.test --ginkgo.json-report=FILE`, or ends with `.txt` and has lines `RESULT<TAB>SPEC<TAB>REASON`.
 */
import { readFileSync } from 'node:fs';
import { conformanceTable, judgedResults, mergedResults } from '../support/conformance/conformance-table.js';
import { specResults } from '../support/ginkgo-report.js';
import { recordRun, runFacts } from '../support/reliability-runs.js';

const runs = process.argv.slice(2).map((file) => {
  const text = readFileSync(file, 'utf8');
  return file.endsWith('.txt') ? judgedResults(text) : specResults(JSON.parse(text));
});
const { date, commit } = runFacts();
recordRun('record-conformance', `On ${date} at ${commit}: ${conformanceTable('sig-api-machinery', mergedResults(runs))}`);
