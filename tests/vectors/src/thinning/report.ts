import { readFileSync } from 'node:fs';
import type { Measured } from './measure-subject.js';
import { describeMutant, functionOf, type Mutant } from './mutant.js';

/** One vector file, before and after. */
export interface Subject {
  /** Path of the file in the set, and the same without `.jsonl`. */
  file: string;
  name: string;
  lines: readonly string[];
  ids: readonly string[];
  /** Indices of the lines that are kept. */
  kept: readonly number[];
  seconds: number;
  /** Absent for a file without an adapter. */
  measured?: Measured & {
    /** The mutants that each chosen case is kept for. */
    reasons: ReadonlyMap<number, readonly string[]>;
    killedByKept: number;
    /** The kills of the same number of cases, spread evenly. */
    killedBySpread: number;
  };
}

type Counts = Record<'cases' | 'kept' | 'reached' | 'tried' | 'killed' | 'killedByKept' | 'killedBySpread', number>;

/** A subject on one line. */
export function describeSubject(subject: Subject): string {
  const { name, lines, kept, measured, seconds } = subject;
  const bytes = kept.reduce((sum, index) => sum + Buffer.byteLength(lines[index] ?? '') + 1, 0);
  const cases = `${name}: ${kept.length} of ${lines.length} cases, ${Math.ceil(bytes / 1000)} kB`;
  if (measured === undefined) return `${cases}, spread evenly: no adapter`;
  const { reached, tried, killed, killedByKept, killedBySpread } = countsOf(subject);
  const hung = measured.hung > 0 ? `, ${measured.hung} hung` : '';
  const mutants = `${tried} of ${reached} mutants, ${killed} killed, ${killedByKept} by the kept cases, ${killedBySpread} by an even spread`;
  return `${cases}; ${mutants}${hung}; ${Math.round(seconds)} s`;
}

function countsOf({ lines, kept, measured }: Subject): Counts {
  const tried = [...(measured?.killers.values() ?? [])];
  const killed = tried.filter((cases) => cases.length > 0).length;
  const { reached = 0, killedByKept = 0, killedBySpread = 0 } = measured ?? {};
  return { cases: lines.length, kept: kept.length, reached, tried: tried.length, killed, killedByKept, killedBySpread };
}

function sum(counts: readonly Counts[]): Counts {
  const zero: Counts = { cases: 0, kept: 0, reached: 0, tried: 0, killed: 0, killedByKept: 0, killedBySpread: 0 };
  return counts.reduce((a, b) => {
    const keys = Object.keys(zero) as (keyof Counts)[];
    return Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as Counts;
  }, zero);
}

/** How each subject was thinned and why each of its cases is kept. */
export interface Report {
  about: string;
  instrumenter: string;
  seed: string;
  maxMutants: number;
  subjects: Record<string, Partial<Counts> & { keptFor?: Record<string, string> }>;
}

export function reportOf(
  subjects: readonly Subject[],
  mutants: readonly Mutant[],
  { seed, maxMutants }: Pick<Report, 'seed' | 'maxMutants'>,
): Report {
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  return {
    about:
      'Written by npm run conformance:thin. What each case is kept for: how many mutants, and one of those that the fewest cases kill.',
    instrumenter: instrumenterVersion(),
    seed,
    maxMutants,
    subjects: Object.fromEntries(subjects.map((subject) => [subject.name, entryOf(subject, byId)])),
  };
}

function entryOf(subject: Subject, byId: ReadonlyMap<string, Mutant>): Report['subjects'][string] {
  const { cases, kept, ...counts } = countsOf(subject);
  const { measured } = subject;
  if (measured === undefined) return { cases, kept };
  const rarity = (id: string) => measured.killers.get(id)?.length ?? 0;
  const keptFor = subject.kept.map((index) => {
    const [first, ...others] = [...(measured.reasons.get(index) ?? [])].sort((a, b) => rarity(a) - rarity(b));
    const mutant = byId.get(first ?? '');
    const text = mutant ? `${others.length + 1}: ${describeMutant(mutant)}` : 'fills up';
    return [subject.ids[index], text];
  });
  return { cases, kept, ...counts, keptFor: Object.fromEntries(keptFor) };
}

function instrumenterVersion(): string {
  const manifest = new URL('../../../../node_modules/@stryker-mutator/instrumenter/package.json', import.meta.url);
  const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return `${name} ${version}`;
}

/** Maximum number of listed functions with survivors. */
const listed = 25;

/** A summary of the run: the kept cases, the comparison with an even spread, and the functions whose mutants survive the full set. */
export function totalLines(subjects: readonly Subject[], mutants: readonly Mutant[]): string[] {
  const { cases, kept, tried, killed, killedByKept, killedBySpread } = sum(subjects.map(countsOf));
  const survivors = survivorsOf(subjects, mutants);
  const byFunction = new Map<string, number>();
  for (const mutant of survivors) {
    const place = `${mutant.file} ${functionOf(mutant).split('.')[0]}`;
    byFunction.set(place, (byFunction.get(place) ?? 0) + 1);
  }
  const most = [...byFunction].sort(([, a], [, b]) => b - a).slice(0, listed);
  return [
    `${kept} of ${cases} cases are kept`,
    `mutants killed, counted by subject: ${killed} of ${tried} tried by the full set, ${killedByKept} by the kept cases, ${killedBySpread} by an even spread`,
    `${survivors.length} different mutants survive every subject that reaches them, most of them in:`,
    ...most.map(([place, count]) => `  ${count} ${place}`),
  ];
}

/** Replayed mutants that no subject kills, one per line. */
export function survivorLines(subjects: readonly Subject[], mutants: readonly Mutant[]): string[] {
  return survivorsOf(subjects, mutants).map((mutant) => `${mutant.operator} ${describeMutant(mutant)}`);
}

function survivorsOf(subjects: readonly Subject[], mutants: readonly Mutant[]): Mutant[] {
  const tried = subjects.flatMap(({ measured }) => [...(measured?.killers ?? [])]);
  const killed = new Set(tried.filter(([, cases]) => cases.length > 0).map(([id]) => id));
  const survived = new Set(tried.map(([id]) => id).filter((id) => !killed.has(id)));
  return mutants.filter(({ id }) => survived.has(id));
}
