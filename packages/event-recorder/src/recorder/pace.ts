import type { Clock } from '@nodeagent/api';

/** Lets calls that are made one after the other through at no more than a rate. */
export interface Pace {
  /** Resolves when the next call may be made; rejects with the signal's reason when it aborts first. */
  next(signal: AbortSignal): Promise<void>;
}

/** `qps` calls a second in the long run, `burst` at once; a `qps` of 0 lets every call through. */
export function createPace(qps: number, burst: number, clock: Clock): Pace {
  let tokens = burst;
  let last = clock.monotonic();
  const refill = () => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * qps);
    last = now;
  };
  return {
    async next(signal) {
      if (qps === 0) return;
      refill();
      if (tokens < 1) {
        await clock.sleep(Math.ceil(((1 - tokens) / qps) * 1000), signal);
        refill();
      }
      tokens -= 1;
    },
  };
}
