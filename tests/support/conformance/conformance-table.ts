import { type SpecResult, tableRow } from '../ginkgo-report.js';

/** Results of several runs as one: of a spec that ran several times the last result counts. */
export function mergedResults(runs: readonly ReadonlyMap<string, SpecResult>[]): Map<string, SpecResult> {
  const merged = new Map<string, SpecResult>();
  for (const run of runs) {
    for (const [name, result] of run) if (!merged.has(name) || result.state !== 'skipped') merged.set(name, result);
  }
  return merged;
}

/** Reads lines `RESULT<TAB>SPEC<TAB>REASON` of specs that were judged by hand. Throws for another line. */
export function judgedResults(text: string): Map<string, SpecResult> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return new Map(
    lines.map((line) => {
      const [state, name, reason = ''] = line.split('\t');
      if (!state || !name) throw new Error(`not RESULT<TAB>SPEC<TAB>REASON: ${line}`);
      return [name, { state, reason }];
    }),
  );
}

/** How many conformance specs of an interest group passed, and each with its result. */
export function conformanceTable(sig: string, results: ReadonlyMap<string, SpecResult>): string {
  const specs = [...results].filter(([name]) => name.startsWith(`[${sig}] `) && name.includes('[Conformance]')).sort(byName);
  const passed = specs.filter(([, { state }]) => state === 'passed').length;
  const rows = specs.map(([name, { state, reason }]) => tableRow(title(name, sig), state === 'passed' ? state : `${state}: ${reason}`));
  return [`${passed} of ${specs.length} passed.`, '', tableRow('spec', 'result'), tableRow('---', '---'), ...rows].join('\n');
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

/** The name without the marks that all or none of its readers need. */
const title = (name: string, sig: string) =>
  name.slice(`[${sig}] `.length).replace(/ \[(Conformance|Privileged:ClusterAdmin|Serial|Slow|LinuxOnly)\]/g, '');
