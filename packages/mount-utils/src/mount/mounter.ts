import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Mounter, NodeAgentError } from '@nodeagent/api';
import { removeTree } from '@nodeagent/api/files';
import { isPathWithinBase } from '@nodeagent/api/helpers';
import { mountUtilsErrorCodes } from '../errors.js';

/** The path as in the mount table: resolves the links of its parent. Does not inspect the path itself, because a mount there may hang. */
export async function mountPathOf(path: string): Promise<string> {
  return join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path));
}

/** Whether the clean absolute path is a mount point. */
export async function isMountPoint(mounter: Pick<Mounter, 'list'>, path: string): Promise<boolean> {
  const target = await mountPathOf(path);
  return (await mounter.list()).some(({ mountPoint }) => mountPoint === target);
}

/** Removes a folder with its content. Rejects with `MountFailed`, and removes nothing, if there is a mount at or below it. */
export async function removeUnlessMounted(mounter: Pick<Mounter, 'list'>, path: string): Promise<void> {
  const target = await mountPathOf(path);
  const mounted = (await mounter.list()).find(({ mountPoint }) => isPathWithinBase(mountPoint, target));
  if (mounted !== undefined) {
    throw new NodeAgentError(mountUtilsErrorCodes.mountFailed, `cannot delete directory ${mounted.mountPoint}: it is a mount point`, {
      retryable: true,
    });
  }
  await removeTree(path);
}
