import { readFile, writeFile } from 'node:fs/promises';
import type { KernelSettingFiles } from './kernel-settings.js';

/** The settings of this machine. */
export const machineKernelSettings: KernelSettingFiles = {
  read: (path) => readFile(`/proc/sys/${path}`, 'utf8'),
  write: (path, text) => writeFile(`/proc/sys/${path}`, text),
};
