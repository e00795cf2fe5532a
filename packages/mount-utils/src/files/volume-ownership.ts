import { type Clock, type Logger, silentLogger } from '@nodeagent/api';
import { machineOwnershipFiles, type OwnedFile, type OwnershipFiles, type VolumeRoot } from './ownership-files.js';

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
  const { path: root, fsGroup, policy, readOnly, signal, logger = silentLogger, files = machineOwnershipFiles, progress } = change;
  if (fsGroup === undefined) return;
  const known = policy === 'OnRootMismatch' ? await files.root(root) : undefined;
  if (!requiresOwnershipChange(fsGroup, policy, readOnly, known)) return;
  const group = fsGroup;
  const started = progress?.clock.monotonic() ?? 0;
  let nextReport = firstReportMs;
  let done = 0;

  async function setOne({ kind, mode, setGroup, setMode }: OwnedFile): Promise<void> {
    try {
      await setGroup(group);
      if (kind !== 'symlink') await setMode(groupMode(kind, mode, readOnly));
    } catch (error) {
      logger.warn({ err: error, path: root }, 'could not set the group of a file in a volume');
    }
    done++;
    if (progress && progress.clock.monotonic() - started >= nextReport) {
      nextReport = progress.clock.monotonic() - started + reportPeriodMs;
      progress.report(done);
    }
  }
  await files.walk(root, setOne, signal);
}
