import type { Verdict } from './compare.js';

export interface Hearers {
  onVerdict(name: string, verdict: Verdict): void;
  /** One that differs beside the others and is run again by itself, whose verdict comes then. */
  onDisturbed(name: string, verdict: Verdict): void;
}

/** Runs some, `lanes` side by side, and tells what came of each. */
export type Run<S> = (scenarios: readonly S[], lanes: number, onVerdict: Hearers['onVerdict']) => Promise<void>;

/** More that differ are no matter of what else ran. */
const mostDisturbed = 3;

/** Runs scenarios side by side. The few that differ while others take their time from them are run again one by one; that verdict counts. */
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
  const areDisturbed = scenarios.length > 1 && differing.size <= mostDisturbed;
  for (const [name, verdict] of differing) (areDisturbed ? onDisturbed : onVerdict)(name, verdict);
  const again = scenarios.filter(({ name }) => areDisturbed && differing.has(name));
  if (again.length > 0) await run(again, 1, onVerdict);
}
