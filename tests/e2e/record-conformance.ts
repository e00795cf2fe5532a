/**
 * `npx tsx tests/e2e/record-conformance.ts SIG [NOTE=]FILE...`: writes what Kubernetes' conformance specs of a SIG, such as `sig-apps`, found to
 * docs/reliability-runs.md. FILE is a report of `e2e.test --ginkgo.json-report=FILE`, NOTE what differed in that run.
 */
import { readFileSync } from 'node:fs';
import { conformanceTable } from '../support/conformance/conformance-table.js';
import { specResults } from '../support/ginkgo-report.js';
import { recordRun, runFacts } from '../support/reliability-runs.js';

const [sig = '', ...files] = process.argv.slice(2);
const runs = files.map((argument) => {
  const [file = '', note] = argument.split('=').reverse();
  return { results: specResults(JSON.parse(readFileSync(file, 'utf8'))), ...(note && { note }) };
});
const { date, commit } = runFacts();
recordRun(`record-conformance ${sig}`, `On ${date} at ${commit}: ${conformanceTable(sig, runs)}`);
