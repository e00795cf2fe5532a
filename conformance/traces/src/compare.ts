import { existsSync, readFileSync } from 'node:fs';
import { diffLines } from './diff.js';
import { aspects, excessWrites, linesOf, type Trace } from './trace.js';

/** What became of a scenario, and the lines that tell it. */
export interface Verdict {
  agrees: boolean;
  lines: string[];
}

export interface ComparisonOptions {
  /** How many differing lines to show of each aspect. */
  show: number;
  /** Whether a status may have passed before it is written. */
  statusesPass: boolean;
  /** Applied to both sides before they are compared. Default nothing. */
  without?(trace: Trace): Trace;
}

/** Holds a trace against the reference in a file. */
export function compareTrace(trace: Trace, file: string, { show, statusesPass, without = (same) => same }: ComparisonOptions): Verdict {
  if (!existsSync(file)) return { agrees: false, lines: ['has no reference'] };
  const reference = without(JSON.parse(readFileSync(file, 'utf8')) as Trace);
  const found = without(trace);
  const expected = statusesPass ? { ...reference, status: withoutPassing(reference.status, found.status) } : reference;
  const differing = aspects.map((aspect) => ({ aspect, diff: diffLines(linesOf(expected, aspect), linesOf(found, aspect)) }));
  const lines = differing.flatMap(({ aspect, diff }) => diff.slice(0, show).map((line) => `${aspect} ${line}`));
  const excess = excessWrites(reference.writes, found.writes);
  const counts = [
    ...differing.filter(({ diff }) => diff.length > 0).map(({ aspect, diff }) => `${aspect} ${diff.length}`),
    ...(excess.length > 0 ? [`writes: ${excess.join(', ')}`] : []),
  ];
  if (counts.length === 0) return { agrees: true, lines: ['agrees'] };
  return { agrees: false, lines: [`DIFFERS: ${counts.join(', ')}`, ...lines] };
}

/**
 * The steps of a status that must be there: all but those that may pass too quickly to be written by an agent that need not wait for the
 * next listing. The first and the last are never left out. docs/decisions/0012.
 */
export function withoutPassing(reference: readonly string[], found: readonly string[]): string[] {
  const written = new Set(found);
  return reference.filter((line, index) => index === 0 || index === reference.length - 1 || written.has(line));
}
