import { evenly } from './spread-cases.js';

/** A mutant, by its id, and the cases that kill it, by their indices. */
export type Killers = ReadonlyMap<string, readonly number[]>;

/**
 * Chooses cases that together kill every mutant, greedily: the case that kills the most remaining mutants per byte comes first, and finally cases
 * whose mutants others kill too are dropped. Returns the chosen cases, each with the mutants that it is kept for.
 */
export function chooseCases(killers: Killers, bytes: readonly number[]): Map<number, string[]> {
  const kills = new Map<number, Set<string>>();
  for (const [mutant, cases] of killers) {
    for (const index of cases) kills.set(index, (kills.get(index) ?? new Set()).add(mutant));
  }

  const chosen: number[] = [];
  const remaining = new Map([...kills].map(([index, mutants]) => [index, new Set(mutants)]));
  const worth = (index: number) => (remaining.get(index)?.size ?? 0) / (bytes[index] ?? 1);
  while (remaining.size > 0) {
    const best = [...remaining.keys()].reduce((a, b) => (worth(b) > worth(a) ? b : a));
    chosen.push(best);
    const killed = new Set(remaining.get(best));
    for (const [index, mutants] of remaining) {
      for (const mutant of killed) mutants.delete(mutant);
      if (mutants.size === 0) remaining.delete(index);
    }
  }
  return reasons(withoutRedundant(chosen, kills), kills);
}

/** Early choices first: later choices may have made them redundant. */
function withoutRedundant(chosen: readonly number[], kills: ReadonlyMap<number, ReadonlySet<string>>): number[] {
  const count = new Map<string, number>();
  for (const index of chosen) for (const mutant of kills.get(index) ?? []) count.set(mutant, (count.get(mutant) ?? 0) + 1);
  return chosen.filter((index) => {
    const mutants = [...(kills.get(index) ?? [])];
    if (mutants.some((mutant) => count.get(mutant) === 1)) return true;
    for (const mutant of mutants) count.set(mutant, (count.get(mutant) ?? 0) - 1);
    return false;
  });
}

function reasons(chosen: readonly number[], kills: ReadonlyMap<number, ReadonlySet<string>>): Map<number, string[]> {
  const killed = new Set<string>();
  return new Map(
    chosen.map((index) => {
      const mutants = [...(kills.get(index) ?? [])].filter((mutant) => !killed.has(mutant));
      for (const mutant of mutants) killed.add(mutant);
      return [index, mutants];
    }),
  );
}

/** Minimum number of cases of a file, if its full set has as many. */
const minCases = 8;
/** Cases beyond those that kill mutants are added up to this many bytes. */
const maxFilledBytes = 45_000;

/** Adds cases, evenly from the full set, to a small choice. Returns indices in the order of the full set. */
export function fillUp(chosen: Iterable<number>, bytes: readonly number[]): number[] {
  const filled = new Set(chosen);
  let total = [...filled].reduce((sum, index) => sum + (bytes[index] ?? 0), 0);
  for (const index of [...evenly(bytes.length, minCases), ...bytes.keys()]) {
    if (filled.size >= minCases) break;
    const more = bytes[index] ?? 0;
    if (filled.has(index) || (filled.size > 0 && total + more > maxFilledBytes)) continue;
    filled.add(index);
    total += more;
  }
  return [...filled].sort((a, b) => a - b);
}
