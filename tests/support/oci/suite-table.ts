import { basename } from 'node:path';

/** What vitest's reporter `json` writes. */
export interface SuiteReport {
  testResults: { name: string; status: string; assertionResults: { status: string }[] }[];
}

/** The reports of a runtime; each suite counts as in the last report that has it. */
export interface RuntimeReports {
  runtime: string;
  reports: readonly SuiteReport[];
}

interface Count {
  passed: number;
  all: number;
}

/** Which end-to-end suites have passed on which runtimes, as a table. */
export function suiteTable(runs: readonly RuntimeReports[]): string {
  const columns = runs.map(({ reports }) => countsOf(reports));
  const suites = [...new Set(columns.flatMap((counts) => [...counts.keys()]))].sort();
  const rows = suites.map((suite) => {
    const counts = columns.map((column) => column.get(suite));
    return `| \`${suite}\` | ${Math.max(...counts.map((count) => count?.all ?? 0))} | ${counts.map(resultOf).join(' | ')} |`;
  });
  const titles = runs.map(({ runtime }) => runtime);
  return [`| suite | tests | ${titles.join(' | ')} |`, `| --- | --: |${' --- |'.repeat(titles.length)}`, ...rows].join('\n');
}

function countsOf(reports: readonly SuiteReport[]): Map<string, Count> {
  const counts = new Map<string, Count>();
  for (const { name, status, assertionResults } of reports.flatMap(({ testResults }) => testResults)) {
    const passed = assertionResults.filter((test) => test.status === 'passed').length;
    const failed = assertionResults.filter((test) => test.status === 'failed').length;
    // A suite also fails if its preparation does, which skips the tests.
    const all = passed + (status === 'failed' ? Math.max(failed, 1) : 0);
    if (all > 0) counts.set(basename(name, '.e2e.ts'), { passed, all });
  }
  return counts;
}

function resultOf(count: Count | undefined): string {
  if (count === undefined) return 'not run';
  return count.passed === count.all ? 'passed' : `${count.passed} passed`;
}
