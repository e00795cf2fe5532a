import { readdir, readFile } from 'node:fs/promises';

/** A process as /proc/<pid>/stat tells, see proc_pid_stat(5). */
export interface ProcessInfo {
  pid: number;
  parent: number;
  session: number;
  /** Clock ticks between boot and the start of the process: with the pid it names a process for good, as pids come back. */
  startTime: number;
  zombie: boolean;
  /** User and system time in clock ticks, with that of the children it has waited for. */
  cpuTicks: number;
}

/** A process, told from others that had or will get its pid. */
export type ProcessRef = Pick<ProcessInfo, 'pid' | 'startTime'>;

/** Reads a line of /proc/<pid>/stat; undefined if it is none. The command's name may hold spaces and brackets. */
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

/** The process of this pid; undefined if there is none. */
export async function readProcess(pid: number): Promise<ProcessInfo | undefined> {
  try {
    return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Every process that lives, without zombies and this process itself, which is nobody's to end. */
export async function listProcesses(): Promise<ProcessInfo[]> {
  const all: ProcessInfo[] = [];
  for (const pid of await listPids()) {
    const info = pid === process.pid ? undefined : await readProcess(pid);
    if (info !== undefined && !info.zombie) all.push(info);
  }
  return all;
}

/** Those of the known processes that still run, as they are now. */
export function stillRunning(known: Iterable<ProcessRef>, processes: readonly ProcessInfo[]): ProcessInfo[] {
  const startTimes = new Map([...known].map(({ pid, startTime }) => [pid, startTime]));
  return processes.filter(({ pid, startTime }) => startTimes.get(pid) === startTime);
}

/**
 * The processes in some sessions, and all their descendants. One that made its own session and then lost its parent is not found.
 *
 * @param sessions - must be known to be the container's still: the number of a session whose processes are gone is given away again
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

/** What is different after each boot, so that pids and start times of an earlier one mean nothing. */
export async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** Signals a process, or a process group if the number is negative; false if there is none, or it is not ours to signal. */
export function sendSignal(pid: number, signal: number): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/**
 * Shares runs of expensive, argument-less work: callers that come while one is under way share the next one, which begins after all of
 * them asked, so none gets an answer older than its question.
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
