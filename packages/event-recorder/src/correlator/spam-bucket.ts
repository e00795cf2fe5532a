/** A token bucket of the spam filter; its tokens as the time in which they accumulate. */
export interface SpamBucket {
  creditMs: number;
  /** Time of the last update, in milliseconds. */
  at: number;
}

/** Burst of events of an object. */
const burst = 25;
/** Time in which one token accumulates. */
const earnMs = 300_000;

/** Takes one token from a bucket, which starts full. */
export function takeToken(known: SpamBucket | undefined, now: number): { bucket: SpamBucket; allowed: boolean } {
  const full = burst * earnMs;
  const creditMs = known === undefined ? full : Math.min(full, known.creditMs + Math.max(0, now - known.at));
  const allowed = creditMs >= earnMs;
  return { bucket: { creditMs: allowed ? creditMs - earnMs : creditMs, at: now }, allowed };
}
