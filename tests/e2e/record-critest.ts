/**
 * `npx tsx tests/e2e/record-critest.ts RUNTIME=FILE...`: writes what critest of cri-tools found to docs/reliability-runs.md. RUNTIME is the title of
 * a column, such as `crun 1.8.1`; FILE the report of `critest --runtime-endpoint unix://SOCKET --ginkgo.json-report=FILE`, with SOCKET that of
 * `nodeagent runtime --type oci`, or of a runtime to compare with.
 */
import { readFileSync } from 'node:fs';
import type { GinkgoReport } from '../support/ginkgo-report.js';
import { critestTables } from '../support/oci/critest-table.js';
import { recordRun, runFacts } from '../support/reliability-runs.js';

const runs = process.argv.slice(2).map((argument) => {
  const [runtime = '', file = ''] = argument.split('=');
  return { runtime, report: JSON.parse(readFileSync(file, 'utf8')) as GinkgoReport };
});
const { date, commit } = runFacts();
recordRun('record-critest', `On ${date} at ${commit}:\n\n${critestTables(runs)}`);
