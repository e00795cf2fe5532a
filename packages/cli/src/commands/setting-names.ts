import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import type { FlagValues } from '../flags.js';
import type { LoadedConfigFiles } from './config-files.js';

/** The name of a setting in errors: its flag, or the field of the configuration file that sets it. */
export type SettingName = (flag: string, field: keyof KubeletConfiguration) => string;

/** Names settings by their flags unless only the configuration files set them. */
export const settingNames =
  (givenFlags: FlagValues, files: Pick<LoadedConfigFiles, 'name' | 'given'> | undefined): SettingName =>
  (flag, field) =>
    givenFlags[flag] === undefined && files?.given.includes(field) ? `${files.name}: ${field}` : `--${flag}`;
