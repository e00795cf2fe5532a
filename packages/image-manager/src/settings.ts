import { invalidOption } from '@nodeagent/api';
import type { VerificationPolicy } from './verification-policy.js';

/** Settings for image pulls, named as in KubeletConfiguration where it has them. */
export interface ImageManagerSettings {
  /** One pull at a time. Default true unless `maxParallelImagePulls` is at least 2. */
  serializeImagePulls?: boolean;
  /** Maximum number of concurrent pulls if they are not serialized. Default unlimited. */
  maxParallelImagePulls?: number;
  /** Pulls per second on average; 0 for no limit. Default 5. */
  registryPullQPS?: number;
  /** Maximum burst of pulls. Default 10. */
  registryBurst?: number;
  /** Which present images a pod needs credentials for. Default `NeverVerifyPreloadedImages`. */
  imagePullCredentialsVerificationPolicy?: VerificationPolicy;
  /** Images exempt under `NeverVerifyAllowlistedImages`: names, or `prefix/*`. Default none. */
  preloadedImagesVerificationAllowlist?: readonly string[];
  /** First delay after a failed pull in milliseconds. Default 10 s. */
  initialBackOffMs?: number;
  /** Maximum delay after failed pulls in milliseconds. Default 300 s. */
  maxBackOffMs?: number;
  /** Timeout of ImageStatus and ListImages (`runtimeRequestTimeout`) in milliseconds. Default 120 s. */
  runtimeRequestTimeoutMs?: number;
  /**
   * Timeout of a pull in milliseconds. Default 1 h. A kubelet has no such timeout; with serialized pulls, one that hangs blocks the pulls of
   * all pods.
   */
  pullTimeoutMs?: number;
}

/** Validates the settings and applies the defaults. Throws `InvalidOption` naming the field. */
export function resolveSettings(settings: ImageManagerSettings) {
  const { maxParallelImagePulls, registryPullQPS = 5, registryBurst = 10 } = settings;
  const { initialBackOffMs = 10_000, maxBackOffMs = 300_000, runtimeRequestTimeoutMs = 120_000, pullTimeoutMs = 3_600_000 } = settings;
  const parallel = maxParallelImagePulls !== undefined && maxParallelImagePulls >= 2;
  const serialize = settings.serializeImagePulls ?? !parallel;
  check('maxParallelImagePulls', maxParallelImagePulls, Number.isInteger(maxParallelImagePulls ?? 0), 'an integer');
  if (serialize && parallel) {
    check('maxParallelImagePulls', maxParallelImagePulls, false, 'at most 1 while serializeImagePulls is true');
  }
  check('registryPullQPS', registryPullQPS, Number.isFinite(registryPullQPS) && registryPullQPS >= 0, 'a number from 0');
  check('registryBurst', registryBurst, Number.isInteger(registryBurst) && registryBurst >= 0, 'an integer from 0');
  for (const [field, value] of Object.entries({ initialBackOffMs, maxBackOffMs, runtimeRequestTimeoutMs, pullTimeoutMs })) {
    check(field, value, Number.isFinite(value) && value > 0, 'a positive number');
  }
  const atOnce = maxParallelImagePulls === undefined || maxParallelImagePulls < 1 ? undefined : maxParallelImagePulls;
  return {
    pullsAtOnce: serialize ? 1 : atOnce,
    registryPullQPS,
    registryBurst,
    initialBackOffMs,
    maxBackOffMs,
    requestTimeoutMs: runtimeRequestTimeoutMs,
    pullTimeoutMs,
    policy: settings.imagePullCredentialsVerificationPolicy ?? 'NeverVerifyPreloadedImages',
    allowlist: settings.preloadedImagesVerificationAllowlist ?? [],
  };
}

function check(field: string, value: unknown, valid: boolean, rule: string): void {
  if (!valid) throw invalidOption(`settings.${field}`, rule, value);
}
