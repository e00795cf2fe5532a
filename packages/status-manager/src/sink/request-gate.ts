import type { Clock, Random } from '@nodeagent/api';

/** The outcome of a request: a response (a refusal too), or none because the API server is unavailable or overloaded. */
type RequestOutcome = { answered: true } | { answered: false; retryAfterMs?: number };

/** Limits requests, so that changes of many pods or the recovery of an API server cause no burst. */
export interface RequestGate {
  /** Milliseconds until the next request may start; infinite if another one must end first. */
  waitMs(): number;
  begin(): void;
  end(outcome: RequestOutcome): void;
}

export interface RequestGateOptions {
  clock: Pick<Clock, 'monotonic'>;
  random: Random;
  requestsPerSecond: number;
}

/** Maximum of concurrent requests, and the burst above the rate after an idle time. */
const maxConcurrent = 10;
const firstPauseMs = 1_000;
const maxPauseMs = 30_000;

/**
 * Allows {@link maxConcurrent} concurrent requests and `requestsPerSecond`. After a request without a response, all wait: 1 s, doubled after
 * each further failure, up to 30 s, with jitter of 50 %, and at least for `Retry-After`. Then the gate allows one request at a time until
 * one gets a response.
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
      // A failure of a request that was sent before the gate closed does not count again.
      if (!closed) failures++;
      const pause = Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs);
      const jittered = pause * (0.5 + random());
      const until = now + (outcome.retryAfterMs === undefined ? jittered : outcome.retryAfterMs + jittered / 2);
      if (!closed || outcome.retryAfterMs !== undefined) closedUntil = Math.max(closedUntil, until);
    },
  };
}
