import { readFileSync } from 'node:fs';
import { opendir, readlink } from 'node:fs/promises';
import { isRunning, type ProcessRef } from '../state/process-ref.js';
import { cgroupFiles } from './cgroup-files.js';

/** What only metrics report of the processes of a container. */
export interface ProcessDetails {
  fileDescriptors?: bigint;
  sockets?: bigint;
  /** Maximum number of open files of the first process; absent without a limit. */
  maxOpenFiles?: bigint;
}

/** A container can open millions of files, and each costs a call: what has more has no count. */
const maxDescriptors = 20_000;

export interface ProcessesOf {
  /** That of the container, from the root of the hierarchy, with a leading `/`. */
  cgroup: string;
  version: 1 | 2;
  /** The first process of the container. */
  first: ProcessRef | undefined;
}

/** Counts what the processes in a cgroup have open, without those in cgroups below. proc_pid_fd(5), proc_pid_limits(5). */
export async function readProcessDetails(
  { cgroup, version, first }: ProcessesOf,
  { cgroups = '/sys/fs/cgroup', proc = '/proc' } = {},
): Promise<ProcessDetails> {
  const pids = cgroupFiles(cgroup, version, cgroups)('memory', 'cgroup.procs')?.split('\n').filter(Boolean);
  const limit = first !== undefined && isRunning(first) ? readOpenFilesLimit(`${proc}/${first.pid}/limits`) : undefined;
  return { ...(pids && (await countDescriptors(pids, proc))), ...(limit !== undefined && { maxOpenFiles: limit }) };
}

async function countDescriptors(pids: readonly string[], proc: string): Promise<ProcessDetails> {
  let fileDescriptors = 0n;
  let sockets = 0n;
  for (const pid of pids) {
    const folder = `${proc}/${pid}/fd`;
    try {
      for await (const { name } of await opendir(folder)) {
        if (fileDescriptors === BigInt(maxDescriptors)) return {};
        fileDescriptors++;
        if (await isSocket(`${folder}/${name}`)) sockets++;
      }
    } catch {
      // The process has exited.
    }
  }
  return { fileDescriptors, sockets };
}

const isSocket = (path: string) =>
  readlink(path).then(
    (target) => target.startsWith('socket:'),
    () => false,
  );

function readOpenFilesLimit(path: string): bigint | undefined {
  try {
    const soft = /^Max open files +(\d+) /m.exec(readFileSync(path, 'utf8'))?.[1];
    return soft === undefined ? undefined : BigInt(soft);
  } catch {
    return undefined;
  }
}
