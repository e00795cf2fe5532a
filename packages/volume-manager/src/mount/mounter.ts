import { realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { NodeAgentError } from '@nodeagent/api';
import { volumeManagerErrorCodes } from '../errors.js';
import { isPathWithinBase } from './lexical-paths.js';
import type { MountRequest } from './mount-arguments.js';
import type { MountInfo } from './mount-info.js';

/** Mounts and unmounts on the node. Calls for different targets may run at once. */
export interface Mounter {
  /** Whether this process may mount at all; without it volumes that need a mount fail with `MountNotPermitted`. */
  readonly canMount: boolean;
  /** Not idempotent: what is mounted twice has to be unmounted twice. Rejects with `MountFailed` or `MountNotPermitted`. */
  mount(request: MountRequest, signal?: AbortSignal): Promise<void>;
  /** A target on which nothing is mounted is fine. Rejects with `MountFailed`, as while files of it are open. */
  unmount(target: string, signal?: AbortSignal): Promise<void>;
  /** All mounts that this process sees, in the order in which they cover each other. */
  list(): Promise<MountInfo[]>;
  /** Whether tmpfs knows `noswap` here. */
  canRefuseSwap(): Promise<boolean>;
  /** Runs a tool for file systems or devices (blkid, mkfs, fsck, losetup) by its arguments. Rejects only if it cannot be run. */
  run(command: string, args: readonly string[], signal?: AbortSignal): Promise<ToolResult>;
}

export interface ToolResult {
  exitCode: number;
  /** What it printed. */
  stdout: string;
  /** What it complained. */
  stderr: string;
}

/** The path as tables of mounts have it: no link above it is left. What it is itself is not looked at: a mount there may hang. */
export async function mountPathOf(path: string): Promise<string> {
  return join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path));
}

/** Whether something is mounted exactly at the clean absolute path. */
export async function isMountPoint(mounter: Pick<Mounter, 'list'>, path: string): Promise<boolean> {
  const target = await mountPathOf(path);
  return (await mounter.list()).some(({ mountPoint }) => mountPoint === target);
}

/** Removes a folder with all that is in it. Rejects with `MountFailed`, and removes nothing, while something is mounted on it or in it. */
export async function removeUnlessMounted(mounter: Pick<Mounter, 'list'>, path: string): Promise<void> {
  const target = await mountPathOf(path);
  const mounted = (await mounter.list()).find(({ mountPoint }) => isPathWithinBase(mountPoint, target));
  if (mounted !== undefined) {
    throw new NodeAgentError(volumeManagerErrorCodes.mountFailed, `cannot delete directory ${mounted.mountPoint}: it is a mount point`, {
      retryable: true,
    });
  }
  await rm(path, { recursive: true, force: true });
}
