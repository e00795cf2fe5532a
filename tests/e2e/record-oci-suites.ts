/**
 * `npx tsx tests/e2e/record-oci-suites.ts RUNTIME=FILE...`: writes which end-to-end suites have passed on the OCI runtime to
 * docs/reliability-runs.md. RUNTIME is the title of a column, such as `crun 1.8.1`; FILE a report of
 * `NODEAGENT_E2E_OCI=all npx vitest run --config tests/e2e/vitest.config.ts -t 'on the OCI runtime' --reporter=json --outputFile=FILE`.
 */
import { readFileSync } from 'node:fs';
import { type SuiteReport, suiteTable } from '../support/oci/suite-table.js';
import { recordRun, runFacts } from '../support/reliability-runs.js';

const reports = new Map<string, SuiteReport[]>();
for (const argument of process.argv.slice(2)) {
  const [runtime = '', file = ''] = argument.split('=');
  reports.set(runtime, [...(reports.get(runtime) ?? []), JSON.parse(readFileSync(file, 'utf8'))]);
}
const { date, commit } = runFacts();
const table = suiteTable([...reports].map(([runtime, each]) => ({ runtime, reports: each })));
recordRun('record-oci-suites', `On ${date} at ${commit}:\n\n${table}`);
