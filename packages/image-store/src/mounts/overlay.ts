import { chmod, chown, lstat, mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mounter, MountInfo } from '@nodeagent/api';
import { removeTree, unlessAbsent } from '@nodeagent/api/files';
import { isPathWithinBase } from '@nodeagent/api/helpers';
import type { IdMappings } from './id-mapping.js';
import { bindIdmapped } from './idmapped-mounts.js';
import { maxFoldersOfOption, type OverlayMount, overlayOptions } from './overlay-options.js';

/** An overlay to mount. */
export interface Overlay {
  /** The uppermost first; absolute. */
  folders: readonly string[];
  isWritable: boolean;
  isMetadataOnly?: boolean;
  isPublic?: boolean;
  selinuxContext?: string;
  /** Shows the folders through idmapped mounts. */
  idMappings?: IdMappings;
}

/** Where an overlay is mounted. */
export const rootOf = (place: string) => join(place, 'rootfs');

/**
 * Mounts an overlay at `rootfs` in a folder, which gets all that it needs: `folders` with a link to each folder below, or a mount of it, and `upper` and
 * `work` of a writable layer. Resolves to false, without a mount, if the folders cannot be shown through idmapped mounts.
 */
export async function mountOverlay(mounter: Mounter, place: string, overlay: Overlay, signal: AbortSignal): Promise<boolean> {
  const { folders, isWritable, idMappings } = overlay;
  const names = join(place, 'folders');
  // What a killed process left: the kernel refuses a work folder of a mount that ended with the machine.
  await unmountBelow(mounter, names, signal);
  for (const name of ['folders', 'work']) await removeTree(join(place, name));
  for (const name of ['folders', 'empty', 'rootfs']) await mkdir(join(place, name), { recursive: true });
  try {
    if (idMappings === undefined) for (const [index, folder] of folders.entries()) await symlink(folder, join(names, String(index)));
    else if (!(await bindIdmapped(mounter, folders, names, idMappings, signal))) return false;
    const containsPlace = folders.some((folder) => isPathWithinBase(place, folder));
    if (isWritable || containsPlace) await prepareUpper(place, join(names, '0'));
    await mountOptions(mounter, place, { ...overlay, folders: folders.length, containsPlace }, signal);
    return true;
  } finally {
    // The overlay has its own copies of these mounts.
    if (idMappings !== undefined) await unmountBelow(mounter, names, new AbortController().signal);
  }
}

async function mountOptions(mounter: Mounter, place: string, overlay: OverlayMount, signal: AbortSignal): Promise<void> {
  const mount = (isAppended: boolean) => {
    const options = overlayOptions({ ...overlay, isAppended });
    return mounter.mount({ source: place, target: rootOf(place), fsType: 'overlay', options, cwd: join(place, 'folders') }, signal);
  };
  await mount(false).catch((error) => {
    if (overlay.folders <= maxFoldersOfOption || signal.aborted) throw error;
    return mount(true);
  });
}

/** The root folder of the tree is that of the writable layer, so it gets the owner and mode of the one below. */
async function prepareUpper(place: string, below: string): Promise<void> {
  const upper = join(place, 'upper');
  await mkdir(join(place, 'work'));
  if ((await mkdir(upper, { recursive: true })) === undefined) return;
  const { uid, gid, mode } = await stat(below);
  await chown(upper, uid, gid);
  await chmod(upper, mode & 0o7777);
}

/** Whether a mount is at or below a folder, whose path is clean, as those of the table are: it may have a thousand lines. */
export const isMountWithin = ({ mountPoint }: Pick<MountInfo, 'mountPoint'>, folder: string): boolean =>
  mountPoint === folder || mountPoint.startsWith(`${folder}/`);

/** Unmounts all mounts at and below a folder. Does not read the table, which may have a thousand lines, for a folder that is not there. */
export async function unmountBelow(mounter: Mounter, folder: string, signal: AbortSignal): Promise<void> {
  if ((await unlessAbsent(lstat(folder))) === undefined) return;
  await unmountAll(mounter, (mount) => isMountWithin(mount, folder), { isLazy: false, signal });
}

/**
 * Unmounts the mounts of the table that match, the last one first. With `isLazy` one that is in use is detached; only then, because umount(8) reads the
 * table for that.
 */
export async function unmountAll(
  mounter: Mounter,
  matches: (mount: MountInfo) => boolean,
  { isLazy, signal }: { isLazy: boolean; signal: AbortSignal },
): Promise<void> {
  for (const { mountPoint } of (await mounter.list()).filter(matches).reverse()) {
    try {
      await mounter.unmount(mountPoint, signal);
    } catch (error) {
      if (!isLazy || (await mounter.run('umount', ['--lazy', mountPoint], signal)).exitCode !== 0) throw error;
    }
  }
}
