import type { Clock } from '@nodeagent/api';

/** Nanoseconds since 1970 from the clock, each larger than the one before: what is created later sorts later. */
export function createStamps(clock: Clock): () => bigint {
  let last = 0n;
  return () => {
    const now = nanoseconds(clock.now());
    last = now > last ? now : last + 1n;
    return last;
  };
}

/** Milliseconds, whole or not, as nanoseconds. */
export function nanoseconds(ms: number): bigint {
  const whole = Math.floor(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1e6));
}
