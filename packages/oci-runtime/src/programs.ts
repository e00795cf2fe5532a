import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { ociRuntimeErrorCodes } from './errors.js';

/** The end of a program. */
export interface ProgramResult {
  /** {@link killedExitCode} for a program that a signal ended. */
  exitCode: number;
  stdout: string;
  /** The last 4 KiB. */
  stderr: string;
}

export interface ProgramOptions {
  /** In addition to `PATH` and the C locale. */
  env?: Record<string, string>;
  /** Default 30 s. The program is killed then. */
  timeoutMs?: number;
  /** Whether the program leaves a process with its output, which is not waited for. Default false. */
  leavesProcess?: boolean;
}

/** Runs a program by its arguments, without a shell and without input. */
export type RunProgram = (program: string, args: readonly string[], options?: ProgramOptions) => Promise<ProgramResult>;

/** Names the processes that a runtime starts for itself: those of a killed one are found by it. */
export const helperVariable = 'NODEAGENT_OCI_ROOT';

const defaultTimeoutMs = 30_000;
const maxStdoutBytes = 1 << 20;
const maxStderrBytes = 4 << 10;
/** Of a program that a signal has ended. */
export const killedExitCode = 137;

/**
 * Runs programs for the runtime with this root folder. Rejects with `CRI_UNKNOWN` if a program is missing or exceeds its time, but not for
 * its exit code.
 */
export function createPrograms(root: string): RunProgram {
  return (program, args, { env, timeoutMs = defaultTimeoutMs, leavesProcess = false } = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        cwd: '/',
        env: { ...programEnvironment(), [helperVariable]: root, ...env },
        // crun gives a container the ownership of its standard input, which must not be /dev/null of the machine.
        stdio: ['pipe', 'pipe', 'pipe'],
        // In a process group, so that at its time limit also what it has started is killed.
        detached: true,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      });
      child.stdin.on('error', () => {});
      child.stdin.end();
      const stdout = collect(child.stdout, (text, chunk) => (text + chunk).slice(0, maxStdoutBytes));
      const stderr = collect(child.stderr, (text, chunk) => (text + chunk).slice(-maxStderrBytes));
      child.once('error', (error) => reject(cannotRun(program, errorMessage(error), error)));
      child.once('exit', (exitCode) => {
        // A process that the program has left keeps its output open.
        if (child.killed) killGroup(child.pid);
        if (child.killed || (exitCode === 0 && leavesProcess)) for (const stream of [child.stdout, child.stderr]) stream.destroy();
      });
      child.once('close', (exitCode) => {
        if (child.killed) reject(cannotRun(program, `no result within ${timeoutMs} ms`));
        else resolve({ exitCode: exitCode ?? killedExitCode, stdout: stdout(), stderr: stderr() });
      });
    });
}

/** The standard output of a program. Rejects with `CRI_UNKNOWN`, the program's name and its standard error if it fails. */
export async function runOrThrow(run: RunProgram, program: string, args: readonly string[], options?: ProgramOptions): Promise<string> {
  const result = await run(program, args, options);
  if (result.exitCode !== 0) throw programFailed(program, args, result);
  return result.stdout;
}

export function programFailed(program: string, args: readonly string[], { exitCode, stderr }: ProgramResult): NodeAgentError {
  const what = [program, ...args.slice(0, 3)].join(' ');
  return new NodeAgentError(ociRuntimeErrorCodes.unknown, `${what} failed: ${stderr.trim() || `exit status ${exitCode}`}`, {
    details: { program, exitCode },
  });
}

/** What programs get of this process's environment. */
export const programEnvironment = (): Record<string, string> => ({
  LC_ALL: 'C',
  PATH: process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin',
});

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // All of its processes have ended.
  }
}

function cannotRun(program: string, problem: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(ociRuntimeErrorCodes.unknown, `${program} cannot be run: ${problem}`, {
    retryable: true,
    hint: `Install the package that has the program ${program}.`,
    details: { program },
    ...(cause !== undefined && { cause }),
  });
}

function collect(stream: Readable, add: (text: string, chunk: string) => string): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text = add(text, chunk);
  });
  return () => text;
}
