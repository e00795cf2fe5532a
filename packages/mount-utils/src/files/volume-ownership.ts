import { chmod, lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, silentLogger } from '@nodeagent/api';

/** The facts of a folder that decide whether its group must change. */
export interface VolumeRoot {
  kind: string;
  /** Unix mode bits. */
  mode: number;
  gid: number;
}

const setGid = 0o2000;
const readWrite = 0o660;
const readOnlyBits = 0o440;
const traverse = 0o110;

/**
 * Whether the group of all files of a volume must be set: always if the pod has an `fsGroup`, unless its policy is `OnRootMismatch` and the
 * volume's root matches. `root` is undefined if it cannot be inspected. KEP-695.
 */
export function requiresOwnershipChange(
  fsGroup: number | undefined,
  policy: string | undefined,
  readOnly: boolean,
  root: VolumeRoot | undefined,
): boolean {
  if (fsGroup === undefined) return false;
  if (policy !== 'OnRootMismatch' || root?.kind !== 'directory') return true;
  const wanted = (readOnly ? readOnlyBits : readWrite) | traverse | setGid;
  return root.gid !== fsGroup || (root.mode & wanted) !== wanted;
}

/** The mode of a file or folder that gives its group access. */
export function groupMode(kind: 'file' | 'directory', mode: number, readOnly: boolean): number {
  const access = readOnly ? readOnlyBits : readWrite;
  return (mode & 0o7777) | access | (kind === 'directory' ? traverse | setGid : 0);
}

/** The file operations of {@link setVolumeOwnership}, those of `node:fs/promises`. */
export interface OwnershipFiles {
  lstat(path: string): Promise<{ mode: number; gid: number; isDirectory(): boolean; isSymbolicLink(): boolean }>;
  readdir(path: string): Promise<string[]>;
  lchown(path: string, uid: number, gid: number): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
}

const nodeOwnershipFiles: OwnershipFiles = {
  lstat: (path) => lstat(path),
  readdir: (path) => readdir(path),
  lchown: (path, uid, gid) => lchown(path, uid, gid),
  chmod: (path, mode) => chmod(path, mode),
};

export interface OwnershipChange {
  path: string;
  fsGroup: number | undefined;
  /** `fsGroupChangePolicy`. Default `Always`. */
  policy?: string | undefined;
  readOnly: boolean;
  signal?: AbortSignal;
  logger?: Logger;
  files?: OwnershipFiles;
  /** Receives the number of processed files, after 30 seconds and then each minute. */
  progress?: { clock: Pick<Clock, 'monotonic'>; report(files: number): void };
}

const firstReportMs = 30_000;
const reportPeriodMs = 60_000;

/**
 * Sets the group and mode of all files of a volume, the root last, so that an interrupted change is detected and repeated.
 * Logs files that cannot be changed; rejects if a folder cannot be read.
 */
export async function setVolumeOwnership(change: OwnershipChange): Promise<void> {
  const { path: root, fsGroup, policy, readOnly, signal, logger = silentLogger, files = nodeOwnershipFiles, progress } = change;
  if (fsGroup === undefined) return;
  const known = policy === 'OnRootMismatch' ? await rootOf(files, root) : undefined;
  if (!requiresOwnershipChange(fsGroup, policy, readOnly, known)) return;
  const group = fsGroup;
  const started = progress?.clock.monotonic() ?? 0;
  let nextReport = firstReportMs;
  let done = 0;

  async function setOne(path: string, isLink: boolean, kind: 'file' | 'directory', mode: number): Promise<void> {
    try {
      await files.lchown(path, -1, group);
      if (!isLink) await files.chmod(path, groupMode(kind, mode, readOnly));
    } catch (error) {
      logger.warn({ err: error, path }, 'could not set the group of a file');
    }
    done++;
    if (progress && progress.clock.monotonic() - started >= nextReport) {
      nextReport = progress.clock.monotonic() - started + reportPeriodMs;
      progress.report(done);
    }
  }

  async function visit(path: string): Promise<void> {
    signal?.throwIfAborted();
    const facts = await files.lstat(path);
    const isFolder = facts.isDirectory();
    if (isFolder) for (const name of await files.readdir(path)) await visit(join(path, name));
    await setOne(path, facts.isSymbolicLink(), isFolder ? 'directory' : 'file', facts.mode);
  }
  await visit(root);
}

async function rootOf(files: OwnershipFiles, path: string): Promise<VolumeRoot | undefined> {
  try {
    const facts = await files.lstat(path);
    return { kind: facts.isDirectory() ? 'directory' : 'file', mode: facts.mode, gid: facts.gid };
  } catch {
    return undefined;
  }
}
