import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { errorCode, errorMessage } from '@nodeagent/api';
import { unknownError } from './errors.js';
import { makeOutputPipes, type OutputPipes } from './pipes.js';
import { type ProcessRef, parseStat } from './processes.js';
import { exitCodeOf } from './signals.js';

/** A process to start. */
export interface LaunchSpec {
  /** The program and its arguments; the first is looked up in `env.PATH` if it has no slash. */
  command: string[];
  env: Record<string, string>;
  cwd: string;
  /** Only if it differs from the runtime's user. */
  user?: { uid: number; gid: number };
  /** Whether standard input is a pipe; otherwise it is /dev/null. */
  stdin: boolean;
}

/** A started process: the leader of a new session and process group. */
export interface Launched extends ProcessRef {
  /** Present if it was requested. */
  stdin?: Writable;
  stdout: Socket;
  stderr: Socket;
  /** Resolves with the exit code when the process has exited; its child processes may still run and hold its output open. Never rejects. */
  exited: Promise<number>;
  /** Stops reading the output, and no longer keeps Node's event loop running. */
  release(): void;
}

/**
 * Starts a process. Rejects, with the messages of container runtimes, if the program or the working directory is invalid.
 *
 * @param onStarted - called synchronously after the fork, before other code of this process runs
 */
export async function launch(
  spec: LaunchSpec,
  { pipeFolder, containerId, onStarted }: { pipeFolder: string; containerId: string; onStarted?: (leader: ProcessRef) => void },
): Promise<Launched> {
  await checkFolder(spec.cwd);
  const pipes = await makeOutputPipes(pipeFolder, containerId, spec.user);
  let child: ChildProcess;
  try {
    child = spawnProcess(spec, pipes);
  } catch (error) {
    pipes.discard();
    throw startError(spec, error);
  }
  if (child.pid === undefined) {
    const error = await new Promise((resolve) => child.once('error', resolve));
    pipes.discard();
    throw startError(spec, error);
  }
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  const exited = new Promise<number>((resolve) => child.once('exit', (code, signal) => resolve(exitCodeOf(code, signal))));
  pipes.closeWriters();
  const leader = { pid: child.pid, startTime: startTimeOf(child.pid) };
  onStarted?.(leader);
  const stdout = pipes.stdout.reader;
  const stderr = pipes.stderr.reader;
  return {
    ...leader,
    ...(child.stdin && { stdin: child.stdin }),
    stdout,
    stderr,
    exited,
    release() {
      child.unref();
      child.stdin?.destroy();
      stdout.destroy();
      stderr.destroy();
    },
  };
}

function spawnProcess(spec: LaunchSpec, pipes: OutputPipes): ChildProcess {
  const [file = '', ...args] = spec.command;
  return spawn(file, args, {
    cwd: spec.cwd,
    env: spec.env,
    detached: true,
    stdio: [spec.stdin ? 'pipe' : 'ignore', pipes.stdout.writeFd, pipes.stderr.writeFd],
    ...spec.user,
  });
}

/** Reads /proc synchronously: the child is reaped only by the event loop, so even an exited one is still in /proc. */
function startTimeOf(pid: number): number {
  return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.startTime ?? 0;
}

async function checkFolder(cwd: string): Promise<void> {
  const problem = await stat(cwd).then(
    (info) => (info.isDirectory() ? undefined : 'not a directory'),
    (error) => (errorCode(error) === 'ENOENT' ? 'no such file or directory' : errorMessage(error)),
  );
  if (problem !== undefined) throw unknownError(`chdir to working directory "${cwd}" failed: ${problem}`);
}

function startError(spec: LaunchSpec, cause: unknown) {
  const [file = ''] = spec.command;
  const texts: Record<string, string | undefined> = {
    ENOENT: file.includes('/') ? `stat ${file}: no such file or directory` : 'executable file not found in $PATH',
    EACCES: 'permission denied',
    E2BIG: 'argument list too long',
    EPERM: `operation not permitted${spec.user ? ` as user ${spec.user.uid}` : ''}`,
  };
  return unknownError(`exec: "${file}": ${texts[errorCode(cause) ?? ''] ?? errorMessage(cause)}`, cause);
}
