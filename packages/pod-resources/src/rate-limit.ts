import type { Clock } from '@nodeagent/api';

const qps = 100;
const burst = 10;

/** A token bucket with the kubelet's limits of the pod-resources API: 100 requests per second, 10 at once. True if a request may pass. */
export function createRateLimit(clock: Pick<Clock, 'monotonic'>): () => boolean {
  let tokens = burst;
  let filledAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * qps);
    filledAt = now;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
}
