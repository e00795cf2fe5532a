import { positive, type SettingTable } from '@nodeagent/api/helpers';

/** The settings of sources of manifests, with the defaults of KubeletConfiguration. */
export const manifestSourceSettings = {
  /** Interval in milliseconds at which all manifests are read again; a watch reports changes of files earlier. Default 20000. */
  checkIntervalMs: { default: 20_000, unit: 'ms', check: positive, field: 'fileCheckFrequency' },
} satisfies SettingTable;
