import type { HealthCheckResult } from './healthz.js';

/** Shortest time without a step after which a sync loop counts as stuck. */
const minStuckMs = 300_000;

export interface SyncLoopCheckInput {
  /** When the sync loop last did a step; undefined before its first one. Milliseconds of the same clock as `now`. */
  lastStepAt: number | undefined;
  now: number;
  /** How often a healthy pod is synced anyway. */
  syncFrequencyMs: number;
}

/**
 * The health check `syncloop`: fails if the sync loop did no step for two sync periods and at least five minutes. Kubernetes documentation,
 * "Kubernetes API health endpoints"; the kubelet's `SyncLoopHealthCheck`.
 */
export function syncLoopHealthCheck({ lastStepAt, now, syncFrequencyMs }: SyncLoopCheckInput): HealthCheckResult {
  const isStuck = lastStepAt !== undefined && now - lastStepAt > Math.max(2 * syncFrequencyMs, minStuckMs);
  return { name: 'syncloop', ...(isStuck && { error: 'sync Loop took longer than expected' }) };
}
