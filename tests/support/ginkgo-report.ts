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

/** What became of a spec. */
export interface SpecResult {
  /** `passed`, `failed`, `skipped` and so on. */
  state: string;
  /** The first line of the message of a spec that did not pass. */
  reason: string;
}

/** The result of each spec by its full name. */
export function specResults(report: GinkgoReport): Map<string, SpecResult> {
  const specs = report.flatMap(({ SpecReports }) => SpecReports).filter(({ LeafNodeType }) => LeafNodeType === 'It');
  return new Map(
    specs.map(({ ContainerHierarchyTexts, LeafNodeText, State, Failure }) => [
      [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' '),
      { state: State, reason: Failure?.Message.split('\n', 1)[0] ?? '' },
    ]),
  );
}

/** A row of a table in Markdown. */
export const tableRow = (...cells: string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
