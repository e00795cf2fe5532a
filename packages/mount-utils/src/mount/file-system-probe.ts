import {
  abandonAtDeadline,
  abortable,
  type Clock,
  errorCode,
  type Mounter,
  NodeAgentError,
  systemClock,
  type VolumeUsage,
} from '@nodeagent/api';
import { fileSystemUsage } from '@nodeagent/api/files';
import { mountUtilsErrorCodes } from '../errors.js';
import { mountOf } from './mount-info.js';
import { mountPathOf } from './mounter.js';
import { mountFailed } from './node-mounter.js';

/**
 * Asks mounted file systems. A call to one whose server does not answer, such as NFS, blocks a thread for as long as that lasts, and Node has four for
 * all files. stat(1) makes the call instead: it costs one small process for each path, and the agent neither a thread nor its exit.
 */
export interface FileSystemProbe {
  /** Usage of the file system that is mounted on the path. Waits for its answer, or until the signal aborts. */
  usage(path: string, signal: AbortSignal): Promise<VolumeUsage>;
  /**
   * Rejects with `FileSystemHangs` if the file system at the path does not answer within 5 s. Call it before others touch files that may be on a
   * network. The path is as in the mount table: see {@link mountPathOf}.
   */
  requireAnswer(path: string): Promise<void>;
  /** Ends the call for the path that is in progress: it would keep the mount busy. Call it before an unmount. */
  release(path: string): void;
}

/** File systems that need only this machine to answer. */
const localTypes = new Set(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'f2fs', 'zfs', 'overlay', 'tmpfs', 'ramfs', 'hugetlbfs']);
const answerTimeoutMs = 5_000;
/** Block size, blocks, free ones, those available to users other than root, inodes, free ones. */
const format = '%s %b %f %a %c %d';

interface Question {
  answer: Promise<VolumeUsage>;
  askedAt: number;
  end: AbortController;
}

export interface FileSystemProbeOptions {
  mounter: Pick<Mounter, 'list' | 'run'>;
  /** Default: the system's. */
  clock?: Pick<Clock, 'monotonic' | 'setTimeout'>;
}

/** Creates a {@link FileSystemProbe}. A path is not asked again while it has not answered. */
export function createFileSystemProbe(options: FileSystemProbeOptions): FileSystemProbe {
  const { mounter, clock = systemClock } = options;
  const questions = new Map<string, Question>();

  async function mayHang(path: string): Promise<boolean> {
    const mount = mountOf(path, await mounter.list());
    return mount !== undefined && !localTypes.has(mount.fsType);
  }

  async function statfs(path: string, signal: AbortSignal): Promise<VolumeUsage> {
    const result = await mounter.run('stat', ['-f', '-c', format, '--', path], signal);
    if (result.exitCode !== 0) throw mountFailed(`stat -f ${path}`, result);
    return usageOf(result.stdout);
  }

  function ask(path: string): Question {
    const pending = questions.get(path);
    if (pending) return pending;
    const end = new AbortController();
    const question = { answer: statfs(path, end.signal).finally(() => questions.delete(path)), askedAt: clock.monotonic(), end };
    questions.set(path, question);
    return question;
  }

  return {
    async usage(path, signal) {
      const target = await mountPathOf(path);
      if (!(await mayHang(target))) return fileSystemUsage(path);
      const { answer, end } = ask(target);
      return abortable(answer, signal).catch((error: unknown) => {
        if (signal.aborted) end.abort(signal.reason);
        throw error;
      });
    },
    async requireAnswer(path) {
      if (!(await mayHang(path))) return;
      const { answer, askedAt } = ask(path);
      const timeoutMs = askedAt + answerTimeoutMs - clock.monotonic();
      if (timeoutMs <= 0) throw hangs(path);
      await abandonAtDeadline({ clock, timeoutMs, error: () => hangs(path) }, () => answer).catch((error: unknown) => {
        // Any other error is an answer too; the caller's own calls report it.
        if (errorCode(error) === mountUtilsErrorCodes.fileSystemHangs) throw error;
      });
    },
    release(path) {
      questions.get(path)?.end.abort(hangs(path));
    },
  };
}

function hangs(path: string): NodeAgentError {
  return new NodeAgentError(mountUtilsErrorCodes.fileSystemHangs, `the file system at ${path} does not answer`, {
    retryable: true,
    hint: 'Check the server of the mount.',
    details: { path },
  });
}

/** Parses what stat(1) prints for {@link format}. */
function usageOf(line: string): VolumeUsage {
  const [size = 0n, blocks = 0n, free = 0n, available = 0n, inodes = 0n, inodesFree = 0n] = line.trim().split(' ').map(BigInt);
  return {
    capacityBytes: blocks * size,
    availableBytes: available * size,
    usedBytes: (blocks - free) * size,
    inodes,
    inodesFree,
    inodesUsed: inodes - inodesFree,
  };
}
