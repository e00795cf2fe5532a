import { type Clock, requirePositive, systemClock } from '@nodeagent/api';
import type { VirtualClock } from '@nodeagent/testing';

/** Period of the advances, in milliseconds of real time. */
const stepMs = 10;
/** The longest advance of a step: a long step must not make the next one longer. */
const longestAdvanceMs = 100;
/** How far virtual time may be behind and still catch up, in real time. */
const maxBehindMs = 60_000;

export interface PaceOptions {
  /** Virtual milliseconds per real millisecond. Default 1. */
  speed?: number;
  /** Stops the advances; the promise resolves. */
  signal: AbortSignal;
  /** The real clock. Default: the system clock. */
  real?: Clock;
}

/**
 * Advances a virtual clock as real time passes, for clients that run in real time. If the work takes longer than real time, virtual
 * time falls behind and catches up later; more than a minute is lost. Rejects with the error of a timer's callback.
 */
export async function keepPace(clock: Pick<VirtualClock, 'advance'>, options: PaceOptions): Promise<void> {
  const { speed = 1, signal, real = systemClock } = options;
  requirePositive('speed', speed);
  let last = real.monotonic();
  let behind = 0;
  while (!signal.aborted) {
    await real.sleep(stepMs, signal).catch(() => {});
    if (signal.aborted) return;
    const now = real.monotonic();
    behind = Math.min(behind + now - last, maxBehindMs);
    last = now;
    const advance = Math.min(behind, longestAdvanceMs);
    behind -= advance;
    await clock.advance(advance * speed);
  }
}
