import type { SettingTable } from '@nodeagent/api/helpers';

/** The settings of volume stats, with the names and defaults of KubeletConfiguration. */
export const volumeStatsSettings = {
  /**
   * Period of listing the pods, and minimum pause between measurements of a pod, in milliseconds. Default 60000, plus up to 100% jitter; 0
   * or less: off.
   */
  volumeStatsAggPeriodMs: { default: 60_000, unit: 'ms', field: 'volumeStatsAggPeriod' },
} satisfies SettingTable;
