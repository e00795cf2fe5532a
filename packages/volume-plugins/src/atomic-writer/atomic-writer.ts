import { basename, dirname, join } from 'node:path';
import { type Clock, errorCode } from '@nodeagent/api';
import { unlessMissing } from '@nodeagent/mount-utils';
import type { Payload } from '../payload/payload.js';
import { validatePayloadPath } from './validate-path.js';
import { nodeWriterFiles, type WriterFiles } from './writer-files.js';

/** The symbolic link to the folder with the current files; the visible files are links through it. */
const dataLink = '..data';
const newDataLink = '..data_tmp';

export interface AtomicWriteOptions {
  targetDir: string;
  payload: Payload;
  clock: Pick<Clock, 'now'>;
  /** Called after the new files are written and before they become visible; a rejection aborts the write. */
  setPermissions?(): Promise<void>;
  /** Default: the node's file system. */
  files?: WriterFiles;
}

/**
 * Replaces the content of the folder with the payload, so that a reader sees either all old or all new files: they are in a separate folder,
 * and one `rename` of a link switches from old to new. If no content has changed, it writes nothing, even if modes have. One call
 * a folder at a time. Rejects with `InvalidPayload` before any change, and with errors of the file system.
 */
export async function writeAtomically({
  targetDir,
  clock,
  setPermissions,
  files = nodeWriterFiles,
  ...options
}: AtomicWriteOptions): Promise<void> {
  const payload: Payload = new Map(Array.from(options.payload, ([path, file]) => [validatePayloadPath(path), file]));
  const inTarget = (name: string) => join(targetDir, name);
  const old = await unlessMissing(files.readlink(inTarget(dataLink)), undefined);
  const obsolete = old === undefined ? [] : await pathsToRemove(files, inTarget(old), payload);
  if (old === undefined || (await hasChanged(files, inTarget(old), payload)) || obsolete.length > 0) {
    const folder = await files.mkdtemp(inTarget(`..${timestamp(clock.now())}.`));
    await files.chmod(folder, 0o755);
    await writePayload(files, folder, payload);
    await setPermissions?.();
    await switchTo(files, inTarget, folder);
  }
  await linkForUsers(files, targetDir, payload);
  await removeLinks(files, inTarget, await linksToRemove(files, targetDir, payload, obsolete));
  if (old === undefined) return;
  const current = await unlessMissing(files.readlink(inTarget(dataLink)), undefined);
  if (current !== old) await files.removeTree(inTarget(old));
}

/** Paths that are in the old folder but not in the payload. */
async function pathsToRemove(files: WriterFiles, folder: string, payload: Payload): Promise<string[]> {
  const kept = new Set<string>();
  for (const path of payload.keys()) {
    for (let part = path; part !== '.'; part = dirname(part)) kept.add(part);
  }
  return (await unlessMissing(files.tree(folder), [])).filter((path) => !kept.has(path));
}

async function hasChanged(files: WriterFiles, folder: string, payload: Payload): Promise<boolean> {
  for (const [path, { data }] of payload) {
    const present = await unlessMissing(files.readFile(join(folder, path)).catch(unlessForbidden), undefined);
    if (present === undefined || Buffer.compare(present, data) !== 0) return true;
  }
  return false;
}

/** An agent without root cannot read back what it wrote with a mode such as 0200: it writes such files each time. */
function unlessForbidden(error: unknown): undefined {
  if (errorCode(error) !== 'EACCES') throw error;
}

async function writePayload(files: WriterFiles, folder: string, payload: Payload): Promise<void> {
  for (const [path, { data, mode, fsUser }] of payload) {
    const file = join(folder, path);
    if (path.includes('/')) await files.mkdir(dirname(file));
    await files.writeFile(file, data, mode);
    // The umask may have cleared bits.
    await files.chmod(file, mode);
    if (fsUser !== undefined) await files.lchown(file, fsUser, -1);
  }
}

async function switchTo(files: WriterFiles, inTarget: (name: string) => string, folder: string): Promise<void> {
  try {
    await files.symlink(basename(folder), inTarget(newDataLink));
  } catch (error) {
    await files.removeTree(folder);
    throw error;
  }
  try {
    await files.rename(inTarget(newDataLink), inTarget(dataLink));
  } catch (error) {
    await files.remove(inTarget(newDataLink));
    await files.removeTree(folder);
    throw error;
  }
}

/** Existing paths stay: links of previous writes, and real folders in which other volumes are mounted. */
async function linkForUsers(files: WriterFiles, targetDir: string, payload: Payload): Promise<void> {
  for (const [path, { fsUser }] of payload) {
    const [name = ''] = path.split('/');
    const link = join(targetDir, name);
    if (await unlessMissing(files.exists(link), false)) continue;
    await files.symlink(`${dataLink}/${name}`, link);
    if (fsUser !== undefined) await files.lchown(link, fsUser, -1);
  }
}

/** The visible names of obsolete paths, and links without a file that an interrupted write left. */
async function linksToRemove(files: WriterFiles, targetDir: string, payload: Payload, obsolete: readonly string[]): Promise<Set<string>> {
  const names = new Set(obsolete.filter((path) => !path.includes('/')));
  const kept = new Set(Array.from(payload.keys(), (path) => path.split('/', 1)[0]));
  for (const name of await files.list(targetDir)) {
    if (name.startsWith('..') || kept.has(name)) continue;
    if ((await linkTarget(files, join(targetDir, name))) === `${dataLink}/${name}`) names.add(name);
  }
  return names;
}

/** Undefined if the path is no link. */
async function linkTarget(files: WriterFiles, path: string): Promise<string | undefined> {
  try {
    return await files.readlink(path);
  } catch (error) {
    if (errorCode(error) === 'EINVAL') return undefined;
    throw error;
  }
}

/** Removes as many links as possible, then rejects with the last error. */
async function removeLinks(files: WriterFiles, inTarget: (name: string) => string, names: Iterable<string>): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const name of names) {
    await files.remove(inTarget(name)).catch((error) => {
      failure = { error };
    });
  }
  if (failure) throw failure.error;
}

/** `2026_01_31_23_59_59`, in UTC. */
const timestamp = (now: number) => new Date(now).toISOString().slice(0, 19).replace(/[-T:]/g, '_');

/** Name of a folder that {@link writeAtomically} created. */
const timestampFolder = /^\.\.\d{4}(_\d\d){5}\./;

/**
 * Removes the leftovers of an interrupted write: a link that was not renamed yet, which would make every later write fail, and folders of
 * old files. No other write to the folder may be in progress.
 */
export async function removeLeftovers(targetDir: string, files: WriterFiles = nodeWriterFiles): Promise<void> {
  const names: string[] = await unlessMissing(files.list(targetDir), []);
  const current = names.includes(dataLink) ? await files.readlink(join(targetDir, dataLink)) : undefined;
  for (const name of names) {
    if (name === newDataLink) await files.remove(join(targetDir, name));
    else if (timestampFolder.test(name) && name !== current) await files.removeTree(join(targetDir, name));
  }
}
