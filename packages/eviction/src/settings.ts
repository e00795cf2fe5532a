import { defaultEvictionHard, type GivenSettings, notNegative, positive, type SettingTable } from '@nodeagent/api/helpers';

type BySignal = Readonly<Record<string, string>>;

/** The settings of eviction, with the names and defaults of KubeletConfiguration; `...Ms` are milliseconds. */
export const evictionSettings = {
  /** `{ 'memory.available': '100Mi', 'nodefs.available': '10%' }`. Default {@link defaultEvictionHard}. */
  evictionHard: { default: defaultEvictionHard as BySignal, field: 'evictionHard' },
  /** As `evictionHard`; each needs a grace period. Default none. */
  evictionSoft: { default: {} as BySignal, field: 'evictionSoft' },
  /** Durations: `{ 'memory.available': '1m30s' }`. Required for each soft threshold. */
  evictionSoftGracePeriod: { default: {} as BySignal, field: 'evictionSoftGracePeriod' },
  /** Minimum amount to reclaim beyond the threshold, for the hard and the soft threshold of the signal. Default none. */
  evictionMinimumReclaim: { default: {} as BySignal, field: 'evictionMinimumReclaim' },
  /** With `pods`, each hard `memory.available` threshold also applies to the memory limit of all pods together. Default `['pods']`. */
  enforceNodeAllocatable: { default: ['pods'] as readonly string[], field: 'enforceNodeAllocatable' },
  /** Whether the defaults apply to signals that `evictionHard` does not name. Default false. */
  mergeDefaultEvictionSettings: { default: false },
  /** Milliseconds for which a condition stays true after it was last observed; with 0 no condition is reported. Default 300000. */
  evictionPressureTransitionPeriodMs: { default: 300_000, unit: 'ms', check: notNegative, field: 'evictionPressureTransitionPeriod' },
  /** Maximum grace period of a pod that a soft threshold evicts, in seconds. Default 0. */
  evictionMaxPodGracePeriod: {
    default: 0,
    unit: 's',
    check: { ...notNegative, rule: 'a number of seconds, 0 or more' },
    field: 'evictionMaxPodGracePeriod',
  },
  /** Whether local storage limits of pods are enforced. Default true. */
  localStorageCapacityIsolation: { default: true, field: 'localStorageCapacityIsolation' },
  /** Interval between evaluations in milliseconds. Default 10000. */
  monitoringIntervalMs: { default: 10_000, unit: 'ms', check: positive },
  /** Timeout in milliseconds of the summary and of the file system calls; then the evaluation fails. Default 30000. */
  summaryTimeoutMs: { default: 30_000, unit: 'ms', check: positive },
} satisfies SettingTable;

/** Settings of {@link evictionSettings}. */
export type EvictionSettings = GivenSettings<typeof evictionSettings>;

/** The thresholds of a KubeletConfiguration, by signal name. */
export type ThresholdConfig = Pick<
  EvictionSettings,
  | 'evictionHard'
  | 'evictionSoft'
  | 'evictionSoftGracePeriod'
  | 'evictionMinimumReclaim'
  | 'enforceNodeAllocatable'
  | 'mergeDefaultEvictionSettings'
>;
