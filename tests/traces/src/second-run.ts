import type { Verdict } from './compare.js';

export interface Hearers {
  onVerdict(name: string, verdict: Verdict): void;
  /** Receives a scenario that differs beside the others; its verdict follows after it ran again, alone. */
  onDisturbed(name: string, verdict: Verdict): void;
}

/** Runs scenarios, `lanes` at a time, and reports the verdict of each. */
export type Run<S> = (scenarios: readonly S[], lanes: number, onVerdict: Hearers['onVerdict']) => Promise<void>;

/** Of the runs alone, so many decide. */
const decidingRuns = 2;

/**
 * Runs scenarios concurrently. Those that differ under the load of others run again, one by one, until they have agreed twice or differed twice,
 * which is their verdict: other processes of the machine may disturb one run alone, a fault differs in each. If more than half differ, the cause
 * is not the load.
 */
export async function runWhatDiffersAgain<S extends { name: string }>(
  scenarios: readonly S[],
  lanes: number,
  { onVerdict, onDisturbed }: Hearers,
  run: Run<S>,
): Promise<void> {
  const differing = new Map<string, Verdict>();
  await run(scenarios, lanes, (name, verdict) => {
    if (verdict.agrees) onVerdict(name, verdict);
    else differing.set(name, verdict);
  });
  const areDisturbed = scenarios.length > 1 && differing.size <= scenarios.length / 2;
  for (const [name, verdict] of differing) (areDisturbed ? onDisturbed : onVerdict)(name, verdict);
  if (!areDisturbed) return;
  const votes = new Map<string, { agreed: number; differed: number }>();
  let undecided = scenarios.filter(({ name }) => differing.has(name));
  while (undecided.length > 0) {
    const decided = new Set<string>();
    await run(undecided, 1, (name, verdict) => {
      const { agreed, differed } = votes.get(name) ?? { agreed: 0, differed: 0 };
      const next = verdict.agrees ? { agreed: agreed + 1, differed } : { agreed, differed: differed + 1 };
      votes.set(name, next);
      if ((verdict.agrees ? next.agreed : next.differed) < decidingRuns) return;
      decided.add(name);
      onVerdict(name, verdict);
    });
    undecided = undecided.filter(({ name }) => !decided.has(name));
  }
}
