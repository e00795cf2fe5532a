import { mkdir, readlink, rm, symlink, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ignoreMissing } from './unless-missing.js';

/** Creates a pod's symbolic link to a raw block device. Resolves to false if it exists. */
export async function makeDeviceLink(link: string, devicePath: string): Promise<boolean> {
  await mkdir(dirname(link), { recursive: true, mode: 0o750 });
  if ((await readlink(link).catch(ignoreMissing)) === devicePath) return false;
  await rm(link, { force: true });
  await symlink(devicePath, link);
  return true;
}

/** Removes the link if it exists. */
export async function removeDeviceLink(link: string): Promise<void> {
  await unlink(link).catch(ignoreMissing);
}
