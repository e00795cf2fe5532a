import { positive, type SettingTable } from '@nodeagent/api/helpers';

/** The periods of relists without container events, with the kubelet's defaults; times in milliseconds. */
export const plegSettings = {
  /** Time from the end of one relist to the start of the next. Default 1000. */
  relistPeriodMs: { default: 1_000, unit: 'ms', check: positive },
  /** Age of the last successful listing above which the generator is unhealthy. Default 180000. */
  relistThresholdMs: { default: 180_000, unit: 'ms', check: positive },
} satisfies SettingTable;
