import { existsSync, readFileSync } from 'node:fs';
import { diffLines } from './diff.js';
import { requiredStatuses, withHeldPhases } from './passing.js';
import { aspects, excessWrites, linesOf, removalProblems, repeatProblems, type Trace } from './trace.js';

/** Whether a scenario agrees, and its differing lines. */
export interface Verdict {
  agrees: boolean;
  lines: string[];
}

export interface ComparisonOptions {
  /** The scenario's name. */
  scenario: string;
  /** Maximum number of differing lines per aspect. */
  show: number;
  /** Whether the agent may skip the scenario's skippable statuses. */
  statusesPass: boolean;
  /** Positions of further statuses that may be skipped then. Default none. */
  furtherSkippable?: readonly number[];
  /** Maximum number of status writes beyond the kubelet's. Default 0. */
  moreStatuses?: number;
  /** What the agent has to do where a kubelet did this. Default: the same. */
  expected?(reference: Trace): Trace;
  /** Applied to both sides before the comparison. Default: none. */
  without?(trace: Trace): Trace;
}

/** A probe may run while its container terminates: a race, for a kubelet too. */
const moreCutShort = 1;

const same = (trace: Trace) => trace;

/** Compares a trace with the reference in a file. */
export function compareTrace(trace: Trace, file: string, options: ComparisonOptions): Verdict {
  const { scenario, show, statusesPass, moreStatuses = 0, expected: expectedOf = same, without = same } = options;
  if (!existsSync(file)) return { agrees: false, lines: ['has no reference'] };
  const reference = without(expectedOf(JSON.parse(readFileSync(file, 'utf8')) as Trace));
  const seen = without(trace);
  const found = statusesPass ? { ...seen, status: withHeldPhases(reference.status, seen.status) } : seen;
  const expected = statusesPass
    ? { ...reference, status: requiredStatuses(scenario, reference.status, found.status, options.furtherSkippable) }
    : reference;
  const differing = aspects.map((aspect) => ({ aspect, diff: diffLines(linesOf(expected, aspect), linesOf(found, aspect)) }));
  const lines = differing.flatMap(({ aspect, diff }) => diff.slice(0, show).map((line) => `${aspect} ${line}`));
  const excess = excessWrites({ ...reference.writes, status: reference.writes.status + moreStatuses }, found.writes);
  const removals = removalProblems(reference.removals, found.removals);
  const repeats = repeatProblems(reference.calls, found.calls);
  const maxCutShort = reference.cutShort + moreCutShort;
  const counts = [
    ...differing.filter(({ diff }) => diff.length > 0).map(({ aspect, diff }) => `${aspect} ${diff.length}`),
    ...(removals.length > 0 ? [`removals ${removals.length}`] : []),
    ...(repeats.length > 0 ? [`repeated calls ${repeats.length}`] : []),
    ...(found.cutShort > maxCutShort ? [`calls cut short: ${found.cutShort} instead of at most ${maxCutShort}`] : []),
    ...(excess.length > 0 ? [`writes: ${excess.join(', ')}`] : []),
  ];
  if (counts.length === 0) return { agrees: true, lines: ['agrees'] };
  return { agrees: false, lines: [`DIFFERS: ${counts.join(', ')}`, ...lines, ...removals.slice(0, show), ...repeats.slice(0, show)] };
}
