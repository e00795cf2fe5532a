import { type GinkgoReport, tableRow as row, type SpecResult, specResults } from '../ginkgo-report.js';

/** A report of critest on a runtime. */
export interface CritestRun {
  runtime: string;
  report: GinkgoReport;
}

const states = ['passed', 'failed', 'skipped'] as const;

/** How many specs passed on each runtime, then the specs that did not pass everywhere, with the reasons in the words of critest. */
export function critestTables(runs: readonly CritestRun[]): string {
  const columns = runs.map(({ report }) => resultsOf(report));
  const titles = runs.map(({ runtime }) => runtime);
  const count = (column: ReadonlyMap<string, SpecResult>, state: string) =>
    [...column.values()].filter((each) => each.state === state).length;
  const counts = states.map((state) => row(state, ...columns.map((column) => `${count(column, state)}`)));
  const specs = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort();
  const others = specs.flatMap((spec) => {
    const results = columns.map((column) => column.get(spec) ?? { state: 'not run', reason: '' });
    const reasons = new Set(results.flatMap(({ state, reason }) => (state === 'passed' ? [] : [reason])));
    return reasons.size === 0 ? [] : [row(spec, [...reasons].join('; '), ...results.map(({ state }) => state))];
  });
  const aligned = (...columns: string[]) => row(...columns, ...titles.map(() => '--:'));
  const table = (head: string, ruler: string, rows: readonly string[]) => [head, ruler, ...rows].join('\n');
  return [
    table(row('specs', ...titles), aligned('---'), counts),
    table(row('spec', 'reason', ...titles), row('---', '---', ...titles.map(() => '---')), others),
  ].join('\n\n');
}

/** By names without the suite's prefix. Specs that critest leaves out by their names have no message. */
function resultsOf(report: GinkgoReport): Map<string, SpecResult> {
  return new Map(
    [...specResults(report)].map(([name, { state, reason }]) => [
      name.replace(/^\[k8s\.io\] /, ''),
      { state, reason: reason === '' && /benchmark/i.test(name) ? 'a benchmark: runs only with -benchmark' : reason },
    ]),
  );
}
