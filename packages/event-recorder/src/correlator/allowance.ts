/** What is left of an allowance of events, as the time that it took to earn. */
export interface Allowance {
  creditMs: number;
  /** When it was reckoned, in milliseconds. */
  at: number;
}

/** Events that an object may have at once. */
const burst = 25;
/** How long one event takes to earn. */
const earnMs = 300_000;

/** Takes one event off an allowance, which begins full. */
export function spendOne(known: Allowance | undefined, now: number): { allowance: Allowance; allowed: boolean } {
  const full = burst * earnMs;
  const creditMs = known === undefined ? full : Math.min(full, known.creditMs + Math.max(0, now - known.at));
  const allowed = creditMs >= earnMs;
  return { allowance: { creditMs: allowed ? creditMs - earnMs : creditMs, at: now }, allowed };
}
