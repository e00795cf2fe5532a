import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { handlePath, pathOnly } from '@nodeagent/api/files';
import { cleanPath, isPathWithinBase, relativePath } from '@nodeagent/api/helpers';
import { mountUtilsErrorCodes } from '../errors.js';
import { unlessMissing } from './unless-missing.js';

/*
 * A container may change its volume while the agent walks through it: each step opens one name from the handle of its parent, without following a
 * link.
 */

const openFlags = pathOnly | constants.O_NOFOLLOW;

/** Why a path inside a volume is rejected. */
export type UnsafePathReason = 'outsideVolume' | 'symlink' | 'notFound' | 'notADirectory' | 'symlinkLoop' | 'other';

const reasons: Record<string, UnsafePathReason> = { ENOENT: 'notFound', ENOTDIR: 'notADirectory', ELOOP: 'symlinkLoop' };

export function unsafePath(reason: UnsafePathReason, message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(mountUtilsErrorCodes.unsafePath, message, { details: { reason }, cause });
}

/** The error for one of the file system. */
export function refused(error: unknown): NodeAgentError {
  const { code = '' } = error as NodeJS.ErrnoException;
  return unsafePath(reasons[code] ?? 'other', errorMessage(error), error);
}

const outside = (path: string, base: string) => unsafePath('outsideVolume', `path ${path} is outside of allowed base ${base}`);

/**
 * Opens `path`, which must be `base` or below it, without following links below `base`. The caller closes the handle. Rejects with
 * `UnsafePath`.
 */
export async function safeOpen(path: string, base: string): Promise<FileHandle> {
  const names = namesBelow(path, base);
  let handle = await openPlace(base).catch((error) => Promise.reject(refused(error)));
  try {
    let current = cleanPath(base);
    await refuseLink(handle, current);
    for (const name of names) {
      current = join(current, name);
      const child = await openPlace(`${handlePath(handle.fd)}/${name}`).catch((error) => Promise.reject(refused(error)));
      await handle.close();
      handle = child;
      await refuseLink(handle, current);
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a handle of the file, folder or link itself. */
export const openPlace = (path: string) => open(path, openFlags);

async function refuseLink(handle: FileHandle, path: string): Promise<void> {
  if ((await handle.stat()).isSymbolicLink()) throw unsafePath('symlink', `unexpected symlink found ${path}`);
}

function namesBelow(path: string, base: string): string[] {
  const relative = relativePath(base, path);
  if (relative === undefined || !isPathWithinBase(path, base)) throw outside(path, base);
  return relative === '.' ? [] : relative.split('/');
}

/** Opens a path of a volume as for a subPath: follows its links first, which must not lead out of the volume. */
export async function openSubPath(volumePath: string, subPath: string): Promise<FileHandle> {
  const { base, path } = await resolveSubPath(volumePath, subPath);
  return safeOpen(path, base);
}

/** Resolves the links of both paths. Rejects with `UnsafePath` if the path is not in the volume. */
async function resolveSubPath(volumePath: string, subPath: string): Promise<{ base: string; path: string }> {
  const base = await realpath(volumePath).catch((error) => Promise.reject(refused(error)));
  // Joined as text: a `..` after a link means the parent of where the link leads.
  const joined = `${base}/${subPath}`;
  const path = await realpath(joined).catch(async (error) => {
    requireWithin(await existingPrefix(base, subPath), base);
    throw refused(error);
  });
  requireWithin(path, base);
  return { base, path };
}

/**
 * The real path of the longest part of `subPath` that exists, as a kubelet determines it before it creates the rest: a path that leads out to
 * an existing folder is outside of the volume although its rest is missing. A link whose target is missing does not lead anywhere.
 */
async function existingPrefix(base: string, subPath: string): Promise<string> {
  let reached = base;
  for (const name of subPath.split('/')) {
    const next = await realpath(`${reached}/${name}`).catch(() => undefined);
    if (next === undefined) break;
    reached = next;
  }
  return reached;
}

function requireWithin(path: string, base: string): void {
  if (!isPathWithinBase(path, base)) throw unsafePath('outsideVolume', `subpath "${path}" not within volume path "${base}"`);
}

/**
 * Creates a folder and its parents inside `base`, each with exactly this mode; existing folders stay unchanged. Creates nothing outside
 * `base`, even if a container replaces folders by links. Resolves to the created paths. Rejects with `UnsafePath`.
 */
export async function safeMakeDirectory(subPath: string, base: string, mode: number): Promise<string[]> {
  const root = await realpath(base).catch((error) => Promise.reject(refused(error)));
  try {
    return await makeBelow(root, subPath, mode);
  } catch (error) {
    if (error instanceof NodeAgentError) throw error;
    requireWithin(await existingPrefix(root, cleanPath(subPath)), root);
    throw refused(error);
  }
}

async function makeBelow(base: string, subPath: string, mode: number): Promise<string[]> {
  const path = join(base, subPath);
  const names = namesBelow(path, base);
  const present = await unlessMissing(stat(path), undefined);
  if (present?.isDirectory()) return [];
  if (present) throw unsafePath('notADirectory', `mkdir ${path}: not a directory`);
  let existing = base;
  let depth = 0;
  for (; depth < names.length; depth++) {
    const next = join(existing, names[depth] ?? '');
    if (!(await unlessMissing(stat(next), undefined))) break;
    existing = next;
  }
  const start = await realpath(existing);
  if (!isPathWithinBase(start, base)) throw outside(start, base);
  const made: string[] = [];
  let handle = await safeOpen(start, base);
  try {
    for (const name of names.slice(depth)) {
      const place = `${handlePath(handle.fd)}/${name}`;
      await mkdir(place, { mode: mode & 0o777 });
      const child = await open(place, openFlags | constants.O_DIRECTORY);
      await handle.close();
      handle = child;
      await chmod(handlePath(handle.fd), mode & 0o7777);
      made.push(join(made.at(-1) ?? start, name));
    }
    return made;
  } finally {
    await handle.close();
  }
}

/** Whether the path exists, without following a link. */
export async function isPresent(path: string): Promise<boolean> {
  return (await unlessMissing(lstat(path), undefined)) !== undefined;
}
