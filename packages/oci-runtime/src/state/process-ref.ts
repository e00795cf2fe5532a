import { readFileSync } from 'node:fs';
import { errorCode } from '@nodeagent/api';

/** Identifies a process, even if its pid is reused. */
export interface ProcessRef {
  pid: number;
  /** In clock ticks since boot: field 22 of proc_pid_stat(5). */
  startTime: number;
}

/** A running process; undefined if it has exited, also if its parent has not waited for it yet. */
export function findProcess(pid: number): ProcessRef | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name may contain spaces and parentheses.
  const [state = '', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : { pid, startTime: Number(fields[18]) };
}

/** The pid that a program has written to a file; 0 without one. */
export function readPid(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

/** Sends a signal. Does nothing if the process has exited. */
export function signalProcess(ref: ProcessRef, signal: number): void {
  if (!isRunning(ref)) return;
  try {
    process.kill(ref.pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

export const isRunning = ({ pid, startTime }: ProcessRef) => findProcess(pid)?.startTime === startTime;
