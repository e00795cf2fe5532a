/** A spec in what Ginkgo writes for `--ginkgo.json-report`. */
interface SpecReport {
  ContainerHierarchyTexts: string[] | null;
  LeafNodeType: string;
  LeafNodeText: string;
  State: string;
  Failure?: { Message: string };
}

/** What Ginkgo writes for `--ginkgo.json-report`. */
export type GinkgoReport = { SpecReports: SpecReport[] }[];

/** A report of critest on a runtime. */
export interface CritestRun {
  runtime: string;
  report: GinkgoReport;
}

interface Result {
  state: string;
  reason: string;
}

const states = ['passed', 'failed', 'skipped'] as const;

/** How many specs passed on each runtime, then the specs that did not pass everywhere, with the reasons in the words of critest. */
export function critestTables(runs: readonly CritestRun[]): string {
  const columns = runs.map(({ report }) => resultsOf(report));
  const titles = runs.map(({ runtime }) => runtime);
  const count = (column: ReadonlyMap<string, Result>, state: string) => [...column.values()].filter((each) => each.state === state).length;
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

const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

function resultsOf(report: GinkgoReport): Map<string, Result> {
  const specs = report.flatMap(({ SpecReports }) => SpecReports).filter(({ LeafNodeType }) => LeafNodeType === 'It');
  return new Map(
    specs.map(({ ContainerHierarchyTexts, LeafNodeText, State, Failure }) => {
      const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ').replace(/^\[k8s\.io\] /, '');
      return [name, { state: State, reason: reasonOf(name, Failure?.Message) }];
    }),
  );
}

/** The first line of a message. Specs that critest leaves out by their names have none. */
function reasonOf(name: string, message = ''): string {
  if (message === '' && /benchmark/i.test(name)) return 'a benchmark: runs only with -benchmark';
  return message.split('\n', 1)[0] ?? '';
}
