import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Mounter, MountInfo } from '@nodeagent/api';
import { isPathWithinBase } from '../files/lexical-paths.js';
import { mountOf } from './mount-info.js';
import { hasMountsOfGroup } from './mount-namespaces.js';
import { mountFailed } from './node-mounter.js';

export interface MakeRSharedOptions {
  signal?: AbortSignal;
  /** Called before the folder is bound onto itself. A rejection ends the attempt. */
  beforeBind?(): Promise<void>;
}

/**
 * Lets mounts below the folder pass between the mount namespaces of node and containers, as `mountPropagation` of a container asks for: where
 * the mount that it is on does not, the folder is bound onto itself and that is made shared. Resolves to whether it was bound now. Does
 * nothing where this process may not mount. Rejects with `MountFailed`; also where something is mounted below already, which would be hidden.
 * Kubernetes documentation, "Volumes: mount propagation".
 */
export async function makeRShared(mounter: Mounter, folder: string, { signal, beforeBind }: MakeRSharedOptions = {}): Promise<boolean> {
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

/** Whether the mount at the folder is the folder itself, bound onto itself as {@link makeRShared} does it, in this run or an earlier one. */
export async function isBoundOntoItself(mounter: Pick<Mounter, 'list'>, folder: string): Promise<boolean> {
  const path = await realpath(folder);
  const mounts = await mounter.list();
  const own = mounts.findLast(({ mountPoint }) => mountPoint === path);
  const parent = own && mounts.find(({ id }) => id === own.parentId);
  if (parent === undefined || own?.major !== parent.major || own.minor !== parent.minor) return false;
  return own.root === join(parent.root, relative(parent.mountPoint, path));
}

/**
 * Takes back what {@link makeRShared} bound, also while files of it are open. Leaves it while something is mounted below, and while another
 * mount namespace shares it: a running container would exchange no mounts with the next shared folder. Resolves to whether it was taken back.
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

/** The peer group in which a mount passes on what is mounted below it. */
function sharedGroup(mount: MountInfo | undefined): number | undefined {
  const field = mount?.optionalFields.find((each) => each.startsWith('shared:'));
  return field === undefined ? undefined : Number(field.slice('shared:'.length));
}
