import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Mutant } from './mutant.js';
import type { MutantRunner } from './mutant-runner.js';

/** Number of killers to find per mutant: a choice among them makes the kept set small. */
const wantedKillers = 12;

export interface MeasureOptions {
  runner: MutantRunner;
  /** The vector file with the full set. */
  path: string;
  /** Size of each of its lines. */
  bytes: readonly number[];
  mutants: readonly Mutant[];
  /** Determines the chosen mutants if there are more than `maxMutants`. */
  seed: string;
  maxMutants: number;
}

/** The mutants that the cases of a file kill. */
export interface Measured {
  /** Mutants that at least one case reaches. */
  reached: number;
  /** The replayed mutants, each with up to twelve cases that kill it, the shortest first; none if all cases agree despite the mutant. */
  killers: Map<string, readonly number[]>;
  /** Mutants that made a case hang or the process exit. */
  hung: number;
}

/** Replays a file's cases with mutants of the code that they reach. */
export async function measureSubject({ runner, path, bytes, mutants, seed, maxMutants }: MeasureOptions): Promise<Measured> {
  const { reached, atLoad, differing } = await runner.reach(path);
  if (differing.length > 0) {
    throw new Error(`${path}: ${differing.length} cases differ without any mutant, such as ${differing[0]}; see npm run conformance`);
  }
  const reaching = reachingCases(reached, new Set(atLoad), mutants, bytes);
  const killers = new Map<string, readonly number[]>();
  let hung = 0;
  const candidates = mutants.filter(({ id }) => reaching.has(id));
  for (const { id } of sample(candidates, `${seed} ${basename(path)}`, maxMutants)) {
    const answer = await runner.kill(path, id, reaching.get(id) ?? [], wantedKillers);
    killers.set(id, answer.killers);
    if (answer.hung) hung++;
  }
  return { reached: reaching.size, killers, hung };
}

/** The number of mutants that at least one of the cases kills, by a new replay with the known killers first. */
export async function countKilled(runner: MutantRunner, path: string, { killers }: Measured, kept: readonly number[]): Promise<number> {
  let count = 0;
  for (const [id, known] of killers) {
    if (known.length === 0) continue;
    const isKnown = (index: number) => known.includes(index);
    const cases = [...kept.filter(isKnown), ...kept.filter((index) => !isKnown(index))];
    if ((await runner.kill(path, id, cases, 1)).killers.length > 0) count++;
  }
  return count;
}

/** The cases that reach each mutant, the shortest first. A mutant in code that runs when its file is loaded, such as a table or a pattern, counts as reached by the cases that reach any other in that file.
 */
function reachingCases(reached: readonly string[][], atLoad: ReadonlySet<string>, mutants: readonly Mutant[], bytes: readonly number[]) {
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  const casesOf = new Map<string, Set<number>>();
  const casesOfFile = new Map<string, Set<number>>();
  const add = (cases: Map<string, Set<number>>, key: string, index: number) => cases.set(key, (cases.get(key) ?? new Set()).add(index));
  for (const [index, ids] of reached.entries()) {
    for (const id of ids) {
      if (!atLoad.has(id)) add(casesOf, id, index);
      add(casesOfFile, byId.get(id)?.file ?? '', index);
    }
  }
  for (const { id, file } of mutants) {
    const cases = casesOfFile.get(file);
    if (atLoad.has(id) && cases) casesOf.set(id, cases);
  }
  const byLength = (a: number, b: number) => (bytes[a] ?? 0) - (bytes[b] ?? 0) || a - b;
  return new Map([...casesOf].map(([id, cases]) => [id, [...cases].sort(byLength)]));
}

/** The same mutants for the same seed, even if code around them changes. */
function sample(mutants: readonly Mutant[], seed: string, count: number): Mutant[] {
  const key = ({ file, operator, original, replacement }: Mutant) =>
    createHash('sha1')
      .update(JSON.stringify([seed, file, operator, original, replacement]))
      .digest('hex');
  const keys = new Map(mutants.map((mutant) => [mutant, key(mutant)]));
  const order = (mutant: Mutant) => keys.get(mutant) ?? '';
  return [...mutants].sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0)).slice(0, count);
}
