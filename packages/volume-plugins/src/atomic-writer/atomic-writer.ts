import { basename, dirname, join } from 'node:path';
import type { Clock } from '@nodeagent/api';
import { unlessMissing } from '@nodeagent/mount-utils';
import type { Payload } from '../payload/payload.js';
import { validatePayloadPath } from './validate-path.js';
import { nodeWriterFiles, type WriterFiles } from './writer-files.js';

/** The link to the folder with the current files; what users see are links through it. */
const dataLink = '..data';
const newDataLink = '..data_tmp';

export interface AtomicWriteOptions {
  targetDir: string;
  payload: Payload;
  clock: Pick<Clock, 'now'>;
  /** Called with the new files before anybody sees them; a rejection ends the write. */
  setPermissions?(): Promise<void>;
  /** Default the node's file system. */
  files?: WriterFiles;
}

/**
 * Makes the folder contain exactly the payload, so that a reader sees either all old or all new files: they are in a folder of their own,
 * and one `rename` of a link exchanges old for new. Files whose content has not changed are left alone, also if their mode has. One call
 * a folder at a time. Rejects with `InvalidPayload` before anything is touched, and with what the file system says.
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
  await removeLinks(files, inTarget, obsolete);
  if (old === undefined) return;
  const current = await unlessMissing(files.readlink(inTarget(dataLink)), undefined);
  if (current !== old) await files.removeTree(inTarget(old));
}

/** What the old folder has and the payload has not. */
async function pathsToRemove(files: WriterFiles, folder: string, payload: Payload): Promise<string[]> {
  const kept = new Set<string>();
  for (const path of payload.keys()) {
    for (let part = path; part !== '.'; part = dirname(part)) kept.add(part);
  }
  return (await unlessMissing(files.tree(folder), [])).filter((path) => !kept.has(path));
}

async function hasChanged(files: WriterFiles, folder: string, payload: Payload): Promise<boolean> {
  for (const [path, { data }] of payload) {
    const present = await unlessMissing(files.readFile(join(folder, path)), undefined);
    if (present === undefined || Buffer.compare(present, data) !== 0) return true;
  }
  return false;
}

async function writePayload(files: WriterFiles, folder: string, payload: Payload): Promise<void> {
  for (const [path, { data, mode, fsUser }] of payload) {
    const file = join(folder, path);
    if (path.includes('/')) await files.mkdir(dirname(file));
    await files.writeFile(file, data, mode);
    // The umask may have taken bits away.
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

/** What is there already stays: the links of earlier writes, and real folders in which other volumes are mounted. */
async function linkForUsers(files: WriterFiles, targetDir: string, payload: Payload): Promise<void> {
  for (const [path, { fsUser }] of payload) {
    const [name = ''] = path.split('/');
    const link = join(targetDir, name);
    if (await unlessMissing(files.exists(link), false)) continue;
    await files.symlink(`${dataLink}/${name}`, link);
    if (fsUser !== undefined) await files.lchown(link, fsUser, -1);
  }
}

/** Removes as many as it can, then rejects with the last error. */
async function removeLinks(files: WriterFiles, inTarget: (name: string) => string, obsolete: readonly string[]): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const name of obsolete) {
    if (name.includes('/')) continue;
    await files.remove(inTarget(name)).catch((error) => {
      failure = { error };
    });
  }
  if (failure) throw failure.error;
}

/** `2026_01_31_23_59_59`, in UTC. */
const timestamp = (now: number) => new Date(now).toISOString().slice(0, 19).replace(/[-T:]/g, '_');

/** A folder of files as {@link writeAtomically} names it. */
const timestampFolder = /^\.\.\d{4}(_\d\d){5}\./;

/**
 * Removes what a writer that ended in the middle left behind: a link that was not renamed yet, which would make every later write fail,
 * and folders of files that are not the current ones. For folders that no other writer is at work on.
 */
export async function removeLeftovers(targetDir: string, files: WriterFiles = nodeWriterFiles): Promise<void> {
  const names: string[] = await unlessMissing(files.list(targetDir), []);
  const current = names.includes(dataLink) ? await files.readlink(join(targetDir, dataLink)) : undefined;
  for (const name of names) {
    if (name === newDataLink) await files.remove(join(targetDir, name));
    else if (timestampFolder.test(name) && name !== current) await files.removeTree(join(targetDir, name));
  }
}
