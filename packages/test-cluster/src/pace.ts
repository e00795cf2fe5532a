import { type Clock, requirePositive, systemClock } from '@nodeagent/api';
import type { VirtualClock } from '@nodeagent/testing';

/** How often time is moved on, in milliseconds of real time. */
const stepMs = 10;

export interface PaceOptions {
  /** Virtual milliseconds in a real one. Default 1. */
  speed?: number;
  /** Ends it; the promise resolves. */
  signal: AbortSignal;
  /** Default the system's. */
  real?: Clock;
}

/**
 * Moves a virtual clock on as real time passes, for clients that live in real time. Where there is more to do than time for it, virtual
 * time falls behind and goes on from there. Rejects with what a timer's callback throws.
 */
export async function keepPace(
  clock: Pick<VirtualClock, 'advance'>,
  { speed = 1, signal, real = systemClock }: PaceOptions,
): Promise<void> {
  requirePositive('speed', speed);
  let last = real.monotonic();
  while (!signal.aborted) {
    await real.sleep(stepMs, signal).catch(() => {});
    if (signal.aborted) return;
    const now = real.monotonic();
    // A step that took long must not make the next one longer still.
    await clock.advance(Math.min(now - last, 10 * stepMs) * speed);
    last = now;
  }
}
