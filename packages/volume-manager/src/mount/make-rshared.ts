import { realpath } from 'node:fs/promises';
import { isPathWithinBase } from './lexical-paths.js';
import { mountOf } from './mount-info.js';
import type { Mounter } from './mounter.js';
import { mountFailed } from './node-mounter.js';

/**
 * Lets mounts below the folder pass between the mount namespaces of node and containers, as `mountPropagation` of a container asks for: where
 * the mount that it is on does not, the folder is bound onto itself and that is made shared. Resolves to whether it was bound now. Does
 * nothing where this process may not mount. Rejects with `MountFailed`; also where something is mounted below already, which would be hidden.
 * Kubernetes documentation, "Volumes: mount propagation".
 */
export async function makeRShared(mounter: Mounter, folder: string, signal?: AbortSignal): Promise<boolean> {
  if (!mounter.canMount) return false;
  const path = await realpath(folder);
  const mounts = await mounter.list();
  if (mountOf(path, mounts)?.optionalFields.some((field) => field.startsWith('shared:'))) return false;
  const below = mounts.find(({ mountPoint }) => mountPoint !== path && isPathWithinBase(mountPoint, path));
  if (below !== undefined) {
    throw mountFailed(`make ${path} shared`, { exitCode: 1, stdout: '', stderr: `${below.mountPoint} is mounted already` });
  }
  const isBound = mounts.some(({ mountPoint }) => mountPoint === path);
  if (!isBound) await mounter.mount({ source: path, target: path, options: ['bind'] }, signal);
  const made = await mounter.run('mount', ['--make-rshared', path], signal);
  if (made.exitCode !== 0) throw mountFailed(`make ${path} shared`, made);
  return !isBound;
}

/** Takes back what {@link makeRShared} bound, also while files of it are open, unless something is mounted below by now. */
export async function undoRShared(mounter: Mounter, folder: string): Promise<void> {
  const path = await realpath(folder);
  const isUsed = (await mounter.list()).some(({ mountPoint }) => mountPoint !== path && isPathWithinBase(mountPoint, path));
  if (isUsed) return;
  const undone = await mounter.run('umount', ['--lazy', path]);
  if (undone.exitCode !== 0) throw mountFailed(`unmount ${path}`, undone);
}
