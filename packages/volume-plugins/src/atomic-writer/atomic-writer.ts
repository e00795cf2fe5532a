import { basename, dirname, join } from 'node:path';
import { type Clock, errorCode } from '@nodeagent/api';
import { unlessMissing } from '@nodeagent/mount-utils';
import type { Payload } from '../payload/payload.js';
import { validatePayloadPath } from './validate-path.js';
import { nodeWriterFiles, type OpenFolder, type WriterFiles } from './writer-files.js';

/** The symbolic link to the folder with the current files; the visible files are links through it. */
const dataLink = '..data';
const newDataLink = '..data_tmp';
/** Name of a folder that {@link writeAtomically} created. */
const timestampFolder = /^\.\.\d{4}(_\d\d){5}\.[^/]*$/;

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
 * a folder at a time. Works from open folders and follows no link: a program that changes the folder meanwhile can make the call fail, but not
 * read, change or remove files outside of it. Rejects with `InvalidPayload` before any change, and with errors of the file system.
 */
export async function writeAtomically({ targetDir, files = nodeWriterFiles, ...options }: AtomicWriteOptions): Promise<void> {
  const payload: Payload = new Map(Array.from(options.payload, ([path, file]) => [validatePayloadPath(path), file]));
  await withFolder(files, targetDir, (target) => replaceContent(files, target, { ...options, payload }));
}

type Replacement = Pick<AtomicWriteOptions, 'payload' | 'clock' | 'setPermissions'>;

async function replaceContent(files: WriterFiles, target: OpenFolder, { payload, clock, setPermissions }: Replacement): Promise<void> {
  const old = await currentFolder(files, target);
  const obsolete = old === undefined ? [] : await pathsToRemove(files, join(target.path, old), payload);
  if (old === undefined || (await hasChanged(files, join(target.path, old), payload)) || obsolete.length > 0) {
    const path = await files.mkdtemp(join(target.path, `..${timestamp(clock.now())}.`));
    await files.chmod(path, 0o755);
    await withFolder(files, path, (folder) => writePayload(files, folder, payload));
    await setPermissions?.();
    await switchTo(files, target, path);
  }
  await linkForUsers(files, target, payload);
  await removeLinks(files, target, await linksToRemove(files, target, payload, obsolete));
  if (old !== undefined && (await currentFolder(files, target)) !== old) await files.removeTree(join(target.path, old));
}

async function withFolder<T>(files: WriterFiles, path: string, use: (folder: OpenFolder) => Promise<T>): Promise<T> {
  const folder = await files.openFolder(path);
  try {
    return await use(folder);
  } finally {
    await folder.close();
  }
}

/** Opens the folders of a payload's path one in the other, each after `prepare`; calls `use` with the place of the last name. */
async function inFolderOf<T>(
  files: WriterFiles,
  folder: OpenFolder,
  path: string,
  use: (place: string) => Promise<T>,
  prepare?: (place: string) => Promise<void>,
): Promise<T> {
  const slash = path.indexOf('/');
  if (slash < 0) return use(join(folder.path, path));
  const inner = join(folder.path, path.slice(0, slash));
  await prepare?.(inner);
  return withFolder(files, inner, (next) => inFolderOf(files, next, path.slice(slash + 1), use, prepare));
}

/** The name of the folder with the current files; undefined if there is none, or if the link leads to a folder of others. */
async function currentFolder(files: WriterFiles, target: OpenFolder): Promise<string | undefined> {
  const name = await unlessMissing(files.readlink(join(target.path, dataLink)), undefined);
  return name !== undefined && timestampFolder.test(name) ? name : undefined;
}

/** Paths that are in the old folder but not in the payload; of a folder that is not in the payload only its own. */
async function pathsToRemove(files: WriterFiles, old: string, payload: Payload): Promise<string[]> {
  const folders = new Set<string>();
  for (const path of payload.keys()) {
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) folders.add(parent);
  }
  const found: string[] = [];
  const visit = async (place: string, prefix: string): Promise<void> => {
    await withFolder(files, place, async (folder) => {
      for (const name of await files.list(folder)) {
        const path = prefix + name;
        if (folders.has(path)) await visit(join(folder.path, name), `${path}/`).catch(unlessNoFolder);
        else if (!payload.has(path)) found.push(path);
      }
    });
  };
  await unlessMissing(visit(old, ''), undefined);
  return found;
}

/** What opening a folder answers for a file or a link in its place: it has no content that is to be removed. */
function unlessNoFolder(error: unknown): undefined {
  if (!['ENOTDIR', 'ELOOP'].includes(errorCode(error) ?? '')) throw error;
}

async function hasChanged(files: WriterFiles, old: string, payload: Payload): Promise<boolean> {
  const isSame = async (folder: OpenFolder, path: string, data: Uint8Array) => {
    const read = inFolderOf(files, folder, path, (place) => files.readFile(place, data.length));
    const present = await unlessMissing(read.catch(unlessForbidden), undefined);
    return present !== undefined && Buffer.compare(present, data) === 0;
  };
  const compared = withFolder(files, old, async (folder) => {
    for (const [path, { data }] of payload) if (!(await isSame(folder, path, data))) return true;
    return false;
  });
  return unlessMissing(compared, true);
}

/** An agent without root cannot read back what it wrote with a mode such as 0200: it writes such files each time. */
function unlessForbidden(error: unknown): undefined {
  if (errorCode(error) !== 'EACCES') throw error;
}

async function writePayload(files: WriterFiles, folder: OpenFolder, payload: Payload): Promise<void> {
  for (const [path, { data, mode, fsUser }] of payload) {
    const write = async (place: string) => {
      await files.writeFile(place, data, mode);
      // The umask may have cleared bits.
      await files.chmod(place, mode);
      if (fsUser !== undefined) await files.lchown(place, fsUser, -1);
    };
    await inFolderOf(files, folder, path, write, (place) => makeFolder(files, place));
  }
}

async function makeFolder(files: WriterFiles, place: string): Promise<void> {
  if (!(await unlessMissing(files.exists(place), false))) await files.mkdir(place);
}

/** Makes the folder at `path` the current one. */
async function switchTo(files: WriterFiles, target: OpenFolder, path: string): Promise<void> {
  const newLink = join(target.path, newDataLink);
  try {
    await files.symlink(basename(path), newLink);
  } catch (error) {
    await files.removeTree(path);
    throw error;
  }
  try {
    await files.rename(newLink, join(target.path, dataLink));
  } catch (error) {
    await files.remove(newLink);
    await files.removeTree(path);
    throw error;
  }
}

/** Existing paths stay: links of previous writes, and real folders in which other volumes are mounted. */
async function linkForUsers(files: WriterFiles, target: OpenFolder, payload: Payload): Promise<void> {
  for (const [path, { fsUser }] of payload) {
    const [name = ''] = path.split('/');
    const link = join(target.path, name);
    if (await unlessMissing(files.exists(link), false)) continue;
    await files.symlink(`${dataLink}/${name}`, link);
    if (fsUser !== undefined) await files.lchown(link, fsUser, -1);
  }
}

/** The visible names of obsolete paths, and links without a file that an interrupted write left. */
async function linksToRemove(files: WriterFiles, target: OpenFolder, payload: Payload, obsolete: readonly string[]): Promise<Set<string>> {
  const names = new Set(obsolete.filter((path) => !path.includes('/')));
  const kept = new Set(Array.from(payload.keys(), (path) => path.split('/', 1)[0]));
  for (const name of await files.list(target)) {
    if (name.startsWith('..') || kept.has(name)) continue;
    if ((await linkTarget(files, join(target.path, name))) === `${dataLink}/${name}`) names.add(name);
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
async function removeLinks(files: WriterFiles, target: OpenFolder, names: Iterable<string>): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const name of names) {
    await files.remove(join(target.path, name)).catch((error) => {
      failure = { error };
    });
  }
  if (failure) throw failure.error;
}

/** `2026_01_31_23_59_59`, in UTC. */
const timestamp = (now: number) => new Date(now).toISOString().slice(0, 19).replace(/[-T:]/g, '_');

/**
 * Removes the leftovers of an interrupted write: a link that was not renamed yet, which would make every later write fail, and folders of
 * old files. No other write to the folder may be in progress.
 */
export async function removeLeftovers(targetDir: string, files: WriterFiles = nodeWriterFiles): Promise<void> {
  const remove = withFolder(files, targetDir, async (target) => {
    const current = await currentFolder(files, target);
    for (const name of await files.list(target)) {
      if (name === newDataLink) await files.remove(join(target.path, name));
      else if (timestampFolder.test(name) && name !== current) await files.removeTree(join(target.path, name));
    }
  });
  await unlessMissing(remove, undefined);
}
