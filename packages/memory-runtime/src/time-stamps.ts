import type { Clock } from '@nodeagent/api';

/** Nanoseconds since 1970 from the clock, strictly increasing, so that objects sort by creation. */
export function createStamps(clock: Clock): () => bigint {
  let last = 0n;
  return () => {
    const now = nanoseconds(clock.now());
    last = now > last ? now : last + 1n;
    return last;
  };
}

/** Converts milliseconds, with fractions, to nanoseconds. */
export function nanoseconds(ms: number): bigint {
  const whole = Math.floor(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1e6));
}
