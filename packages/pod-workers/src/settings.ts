import { positive, type SettingTable } from '@nodeagent/api/helpers';

/** The periods of pod workers, with the names and defaults of KubeletConfiguration and of the kubelet; times in milliseconds. */
export const podWorkersSettings = {
  /** Period of the resync of a healthy pod. Default 60000, jittered by up to 50%. */
  syncFrequencyMs: { default: 60_000, unit: 'ms', check: positive, field: 'syncFrequency' },
  /**
   * Back-off of a pod after a failed sync, and between the checks of a static pod that waits for an earlier one. Default 10000, jittered by
   * up to 50%.
   */
  backOffPeriodMs: { default: 10_000, unit: 'ms', check: positive },
} satisfies SettingTable;
