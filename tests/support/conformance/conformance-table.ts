import { type SpecResult, tableRow } from '../ginkgo-report.js';

/** The results of a run of specs. */
export interface ConformanceRun {
  /** What differs from the other runs. */
  note?: string;
  results: ReadonlyMap<string, SpecResult>;
}

/**
 * How many conformance specs of an interest group passed, and each with its result: of a spec that ran several times the first run that passed,
 * else the last one.
 */
export function conformanceTable(sig: string, runs: readonly ConformanceRun[]): string {
  const cells = new Map<string, string>();
  for (const { note, results } of runs) {
    for (const [name, { state, reason }] of results) {
      if (!name.startsWith(`[${sig}] `) || !name.includes('[Conformance]')) continue;
      if (cells.get(name)?.startsWith('passed') || (state === 'skipped' && reason === '' && cells.has(name))) continue;
      const why = [note, reason].filter(Boolean).join(': ');
      cells.set(name, why ? `${state}, ${why}` : state);
    }
  }
  const specs = [...cells].map(([name, cell]) => [title(name, sig), cell] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  const passed = specs.filter(([, cell]) => cell.startsWith('passed')).length;
  const rows = specs.map(([name, cell]) => tableRow(`\`${name}\``, cell));
  return [`${passed} of ${specs.length} passed.`, '', tableRow('spec', 'result'), tableRow('---', '---'), ...rows].join('\n');
}

/** The name without the marks that all or none of its readers need. */
const title = (name: string, sig: string) =>
  name.slice(`[${sig}] `.length).replace(/ \[(Conformance|Privileged:ClusterAdmin|Serial|Slow|LinuxOnly)\]/g, '');
