import type { Verdict } from './compare.js';

export interface Hearers {
  onVerdict(name: string, verdict: Verdict): void;
  /** Receives a scenario that differs beside the others; its verdict follows after it ran twice more, alone. */
  onDisturbed(name: string, verdict: Verdict): void;
}

/** Runs scenarios, `lanes` at a time, and reports the verdict of each. */
export type Run<S> = (scenarios: readonly S[], lanes: number, onVerdict: Hearers['onVerdict']) => Promise<void>;

/** If more differ, the cause is not the load of the others. */
const maxDisturbed = 3;

/**
 * Runs scenarios concurrently. The few that differ under the load of others run twice more, one by one, and agree only if they agree both
 * times: a scenario that differs in two of three runs fails.
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
  const areDisturbed = scenarios.length > 1 && differing.size <= maxDisturbed;
  for (const [name, verdict] of differing) (areDisturbed ? onDisturbed : onVerdict)(name, verdict);
  const again = scenarios.filter(({ name }) => areDisturbed && differing.has(name));
  const agreeing = new Set<string>();
  if (again.length > 0) {
    await run(again, 1, (name, verdict) => {
      if (verdict.agrees) agreeing.add(name);
      else onVerdict(name, verdict);
    });
  }
  const onceMore = again.filter(({ name }) => agreeing.has(name));
  if (onceMore.length > 0) await run(onceMore, 1, onVerdict);
}
