/**
 * `npx tsx tests/e2e/record-conformance.ts [NOTE=]FILE...`: writes what Kubernetes' conformance specs of API machinery found to
 * docs/reliability-runs.md. FILE is a report of `e2e.test --ginkgo.json-report=FILE`, NOTE what differed in that run.
 */
import { readFileSync } from 'node:fs';
import { conformanceTable } from '../support/conformance/conformance-table.js';
import { specResults } from '../support/ginkgo-report.js';
import { recordRun, runFacts } from '../support/reliability-runs.js';

const runs = process.argv.slice(2).map((argument) => {
  const [file = '', note] = argument.split('=').reverse();
  return { results: specResults(JSON.parse(readFileSync(file, 'utf8'))), ...(note && { note }) };
});
const { date, commit } = runFacts();
recordRun('record-conformance', `On ${date} at ${commit}: ${conformanceTable('sig-api-machinery', runs)}`);
