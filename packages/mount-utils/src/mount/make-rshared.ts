import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Mounter, MountInfo } from '@nodeagent/api';
import { isPathWithinBase } from '@nodeagent/api/helpers';
import { mountOf } from './mount-info.js';
import { hasMountsOfGroup } from './mount-namespaces.js';
import { mountFailed } from './node-mounter.js';

export interface MakeRSharedOptions {
  signal?: AbortSignal;
  /** Called before the folder is bind-mounted onto itself. A rejection aborts. Default: none. */
  beforeBind?(): Promise<void>;
}

/**
 * Makes the folder a shared mount, so that mounts below it propagate between the node and containers, as `mountPropagation` requires. If the
 * mount of the folder is not shared, binds the folder onto itself and makes that mount shared. Resolves to whether it did. Does
 * nothing if this process cannot mount. Rejects with `MountFailed`, also if a mount below the folder would be hidden.
 * Kubernetes documentation, "Volumes: mount propagation".
 */
export async function makeRShared(mounter: Mounter, folder: string, options: MakeRSharedOptions = {}): Promise<boolean> {
  const { signal, beforeBind } = options;
  if (!mounter.canMount) return false;
  const path = await realpath(folder);
  const mounts = await mounter.list();
  if (sharedGroup(mountOf(path, mounts)) !== undefined) return false;
  const below = mounts.find(({ mountPoint }) => mountPoint !== path && isPathWithinBase(mountPoint, path));
  if (below !== undefined) {
    throw mountFailed(`make ${path} shared`, { exitCode: 1, stdout: '', stderr: `${below.mountPoint} is mounted already` });
  }
  const isBound = mounts.some(({ mountPoint }) => mountPoint === path);
  if (!isBound) {
    await beforeBind?.();
    await mounter.mount({ source: path, target: path, options: ['bind'] }, signal);
  }
  const made = await mounter.run('mount', ['--make-rshared', path], signal);
  if (made.exitCode !== 0) throw mountFailed(`make ${path} shared`, made);
  return !isBound;
}

/** Whether the folder is bind-mounted onto itself as {@link makeRShared} does, in this or a previous run. */
export async function isBoundOntoItself(mounter: Pick<Mounter, 'list'>, folder: string): Promise<boolean> {
  const path = await realpath(folder);
  const mounts = await mounter.list();
  const own = mounts.findLast(({ mountPoint }) => mountPoint === path);
  const parent = own && mounts.find(({ id }) => id === own.parentId);
  if (parent === undefined || own?.major !== parent.major || own.minor !== parent.minor) return false;
  return own.root === join(parent.root, relative(parent.mountPoint, path));
}

/**
 * Unmounts the bind mount of {@link makeRShared}, even with open files. Keeps it if there are mounts below it, or if another
 * mount namespace shares it: mounts would not propagate between a running container and the next shared folder. Resolves to whether it unmounted.
 * Rejects with `MountFailed`.
 */
export async function undoRShared(mounter: Mounter, folder: string, isSharedElsewhere = hasMountsOfGroup): Promise<boolean> {
  const path = await realpath(folder);
  const mounts = await mounter.list();
  if (mounts.some(({ mountPoint }) => mountPoint !== path && isPathWithinBase(mountPoint, path))) return false;
  const group = sharedGroup(mounts.findLast(({ mountPoint }) => mountPoint === path));
  if (group !== undefined && (await isSharedElsewhere(group))) return false;
  const undone = await mounter.run('umount', ['--lazy', path]);
  if (undone.exitCode !== 0) throw mountFailed(`unmount ${path}`, undone);
  return true;
}

/** The peer group in which a mount propagates the mounts below it. */
function sharedGroup(mount: MountInfo | undefined): number | undefined {
  const field = mount?.optionalFields.find((each) => each.startsWith('shared:'));
  return field === undefined ? undefined : Number(field.slice('shared:'.length));
}
