import { readdir, readFile } from 'node:fs/promises';

/** A process, from /proc/<pid>/stat; see proc_pid_stat(5). */
export interface ProcessInfo {
  pid: number;
  parent: number;
  session: number;
  /** Start time in clock ticks since boot. Together with the pid it identifies a process, because pids are reused. */
  startTime: number;
  zombie: boolean;
  /** User and system time in clock ticks, with that of the children it has waited for. */
  cpuTicks: number;
}

/** Identifies a process, even if its pid is reused. */
export type ProcessRef = Pick<ProcessInfo, 'pid' | 'startTime'>;

/** Parses /proc/<pid>/stat; undefined if it is invalid. The command's name may contain spaces and parentheses. */
export function parseStat(text: string): ProcessInfo | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open === -1 || close < open) return undefined;
  const fields = text.slice(close + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  const info: ProcessInfo = {
    pid: Number(text.slice(0, open)),
    parent: field(4),
    session: field(6),
    startTime: field(22),
    zombie: fields[0] === 'Z' || fields[0] === 'X',
    cpuTicks: field(14) + field(15) + field(16) + field(17),
  };
  return Number.isInteger(info.pid) && Number.isInteger(info.startTime) ? info : undefined;
}

/** The process with this pid; undefined if there is none. */
export async function readProcess(pid: number): Promise<ProcessInfo | undefined> {
  try {
    return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** All running processes, without zombies and without this process, which must not be killed. */
export async function listProcesses(): Promise<ProcessInfo[]> {
  const all: ProcessInfo[] = [];
  for (const pid of await listPids()) {
    const info = pid === process.pid ? undefined : await readProcess(pid);
    if (info !== undefined && !info.zombie) all.push(info);
  }
  return all;
}

/** The current state of those known processes that still run. */
export function stillRunning(known: Iterable<ProcessRef>, processes: readonly ProcessInfo[]): ProcessInfo[] {
  const startTimes = new Map([...known].map(({ pid, startTime }) => [pid, startTime]));
  return processes.filter(({ pid, startTime }) => startTimes.get(pid) === startTime);
}

/**
 * The processes in the given sessions, and all their descendants. Does not find a process that started a new session and lost its parent.
 *
 * @param sessions - must still belong to the container: the number of a session without processes can be reused
 */
export function membersOf(sessions: ReadonlySet<number>, processes: readonly ProcessInfo[]): ProcessInfo[] {
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  const verdicts = new Map<number, boolean>();
  const belongs = (process: ProcessInfo): boolean => {
    const known = verdicts.get(process.pid);
    if (known !== undefined) return known;
    verdicts.set(process.pid, false);
    const parent = byPid.get(process.parent);
    const verdict = sessions.has(process.session) || (parent !== undefined && belongs(parent));
    verdicts.set(process.pid, verdict);
    return verdict;
  };
  return processes.filter(belongs);
}

export async function listPids(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** The id of this boot. Pids and start times of an earlier boot are invalid. */
export async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** Sends a signal to a process, or to a process group if the number is negative; false if it does not exist or is not permitted. */
export function sendSignal(pid: number, signal: number): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/**
 * Shares runs of expensive work without arguments: calls during a run share the next run. It starts after those calls, so no caller gets a
 * result from before its call.
 */
export function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const run = (): Promise<T> => {
    next = undefined;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (running === undefined) return run();
    next ??= running.then(run, run);
    return next;
  };
}
