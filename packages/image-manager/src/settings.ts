import { invalidOption } from '@nodeagent/api';
import {
  completeSettings,
  type GivenSettings,
  maxContainerBackOffMs,
  numberFrom,
  positive,
  type SettingTable,
  wholeNumberFrom,
} from '@nodeagent/api/helpers';
import type { VerificationPolicy } from './verification-policy.js';

/** The settings of image pulls, named as in KubeletConfiguration where it has them. */
export const imageManagerSettings = {
  /** One pull at a time. Default true unless `maxParallelImagePulls` is at least 2. */
  serializeImagePulls: { default: undefined as boolean | undefined, field: 'serializeImagePulls' },
  /** Maximum number of concurrent pulls if they are not serialized. Default unlimited. */
  maxParallelImagePulls: {
    default: undefined as number | undefined,
    check: wholeNumberFrom(Number.MIN_SAFE_INTEGER),
    field: 'maxParallelImagePulls',
  },
  /** Pulls per second on average; 0 for no limit. Default 5. */
  registryPullQPS: { default: 5, check: numberFrom(0), field: 'registryPullQPS' },
  /** Maximum burst of pulls. Default 10. */
  registryBurst: { default: 10, check: wholeNumberFrom(0), field: 'registryBurst' },
  /** Which present images a pod needs credentials for. Default `NeverVerifyPreloadedImages`. */
  imagePullCredentialsVerificationPolicy: {
    default: 'NeverVerifyPreloadedImages' as VerificationPolicy,
    field: 'imagePullCredentialsVerificationPolicy',
  },
  /** Images exempt under `NeverVerifyAllowlistedImages`: names, or `prefix/*`. Default none. */
  preloadedImagesVerificationAllowlist: { default: [] as readonly string[], field: 'preloadedImagesVerificationAllowlist' },
  /** First delay after a failed pull in milliseconds. Default 10000. */
  initialBackOffMs: { default: 10_000, unit: 'ms', check: positive },
  /** Maximum delay after failed pulls in milliseconds. Default 300000. */
  maxBackOffMs: { default: maxContainerBackOffMs, unit: 'ms', check: positive },
  /** Timeout of ImageStatus and ListImages in milliseconds. Default 120000. */
  runtimeRequestTimeoutMs: { default: 120_000, unit: 'ms', check: positive, field: 'runtimeRequestTimeout' },
  /**
   * Timeout of a pull in milliseconds. Default 1 h. A kubelet has no such timeout; with serialized pulls, one that hangs blocks the pulls of
   * all pods.
   */
  pullTimeoutMs: { default: 3_600_000, unit: 'ms', check: positive },
} satisfies SettingTable;

/** Settings of {@link imageManagerSettings}. */
export type ImageManagerSettings = GivenSettings<typeof imageManagerSettings>;

/** Validates the settings and applies the defaults. Throws `InvalidOption` naming the field. */
export function resolveSettings(given: ImageManagerSettings) {
  const settings = completeSettings(imageManagerSettings, given);
  const { maxParallelImagePulls: max = 0, registryPullQPS, registryBurst, initialBackOffMs, maxBackOffMs, pullTimeoutMs } = settings;
  const { serializeImagePulls: serialize = max < 2 } = settings;
  if (serialize && max >= 2) throw invalidOption('settings.maxParallelImagePulls', 'at most 1 while serializeImagePulls is true', max);
  const atOnce = max < 1 ? undefined : max;
  return {
    pullsAtOnce: serialize ? 1 : atOnce,
    registryPullQPS,
    registryBurst,
    initialBackOffMs,
    maxBackOffMs,
    requestTimeoutMs: settings.runtimeRequestTimeoutMs,
    pullTimeoutMs,
    policy: settings.imagePullCredentialsVerificationPolicy,
    allowlist: settings.preloadedImagesVerificationAllowlist,
  };
}
