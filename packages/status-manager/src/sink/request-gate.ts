import type { Clock, Random } from '@nodeagent/api';

/** How a request went: answered, be it with a refusal, or not taken by an API server that is away or has too much to do. */
type RequestOutcome = { answered: true } | { answered: false; retryAfterMs?: number };

/** Decides when the next request may be sent, so that neither news of many pods nor the return of an API server becomes a storm. */
export interface RequestGate {
  /** Milliseconds until the next request may begin; infinite if one must end before. */
  waitMs(): number;
  begin(): void;
  end(outcome: RequestOutcome): void;
}

export interface RequestGateOptions {
  clock: Pick<Clock, 'monotonic'>;
  random: Random;
  requestsPerSecond: number;
}

/** Requests at once, and those beyond the rate after a quiet time. */
const maxConcurrent = 10;
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * At most {@link maxConcurrent} requests at a time and so many a second. When the API server does not take one, all wait: 1 s, twice as long
 * after each further failure, up to 30 s, each time between half and one and a half of that, and at least what it asked for (Retry-After).
 * Then one request at a time tries, until one is answered.
 */
export function createRequestGate({ clock, random, requestsPerSecond }: RequestGateOptions): RequestGate {
  let inFlight = 0;
  let tokens = maxConcurrent;
  let filledAt = clock.monotonic();
  let failures = 0;
  let closedUntil = 0;

  const refill = (now: number) => {
    tokens = Math.min(maxConcurrent, tokens + ((now - filledAt) * requestsPerSecond) / 1_000);
    filledAt = now;
  };

  return {
    waitMs() {
      if (inFlight >= (failures > 0 ? 1 : maxConcurrent)) return Number.POSITIVE_INFINITY;
      const now = clock.monotonic();
      refill(now);
      const missing = tokens < 1 ? Math.ceil(((1 - tokens) * 1_000) / requestsPerSecond) : 0;
      return Math.max(closedUntil - now, missing);
    },
    begin() {
      inFlight++;
      tokens--;
    },
    end(outcome) {
      inFlight--;
      const now = clock.monotonic();
      const closed = now < closedUntil;
      if (outcome.answered) {
        if (!closed) failures = 0;
        return;
      }
      // Those that were sent before the gate closed tell nothing new.
      if (!closed) failures++;
      const pause = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
      const jittered = pause * (0.5 + random());
      const until = now + (outcome.retryAfterMs === undefined ? jittered : outcome.retryAfterMs + jittered / 2);
      if (!closed || outcome.retryAfterMs !== undefined) closedUntil = Math.max(closedUntil, until);
    },
  };
}
