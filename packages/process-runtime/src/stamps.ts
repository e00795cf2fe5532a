import type { Clock } from '@nodeagent/api';

/** Timestamps in nanoseconds since 1970. */
export interface Stamps {
  now(): bigint;
  /** The time, or 1 ns after the previous stamp if that is later. */
  next(): bigint;
  /** Later stamps are after this time. */
  advance(time: bigint): void;
}

export function createStamps(clock: Clock): Stamps {
  let last = 0n;
  const now = () => BigInt(Math.trunc(clock.now())) * 1_000_000n;
  return {
    now,
    next() {
      const time = now();
      last = time > last ? time : last + 1n;
      return last;
    },
    advance(time) {
      if (time > last) last = time;
    },
  };
}
