import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorFiles } from '../conmon/conmon-arguments.js';

/** How a container ended. */
export interface ExitStatus {
  exitCode: number;
  /** `Completed`, `Error` or `OOMKilled`, as in a container's status in Kubernetes. */
  reason: string;
  message: string;
  /** Nanoseconds since 1970. */
  finishedAt: bigint;
}

/** What conmon has written of the end of a container; undefined while it runs. */
export function readExitStatus(exitDir: string, id: string, bundle: string): ExitStatus | undefined {
  const path = join(exitDir, id);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const facts = statSync(path, { bigint: true });
  const wasOutOfMemory = statSync(monitorFiles(bundle).oom, { throwIfNoEntry: false }) !== undefined;
  const exitCode = Number.parseInt(text, 10);
  return { exitCode, reason: exitReason(exitCode, wasOutOfMemory), message: '', finishedAt: facts.mtimeNs };
}

/** The reason in a container's status. */
function exitReason(exitCode: number, wasOutOfMemory: boolean): string {
  if (wasOutOfMemory) return 'OOMKilled';
  return exitCode === 0 ? 'Completed' : 'Error';
}

/** The end of a container that did not start. Code and reason are those of containerd. */
export const startError = (message: string, finishedAt: bigint): ExitStatus => ({
  exitCode: 128,
  reason: 'StartError',
  message,
  finishedAt,
});

/** The end of a container whose exit code is lost: conmon was killed, or the machine restarted. */
export const lostExit = (message: string, finishedAt: bigint): ExitStatus => ({
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message,
  finishedAt,
});
