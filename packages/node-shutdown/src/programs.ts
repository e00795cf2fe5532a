import { execFile, spawn } from 'node:child_process';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { nodeShutdownErrorCodes } from './errors.js';

/** A running child process. */
export interface RunningProgram {
  /** Resolves after its first line of output; rejects with `LogindUnavailable` if it exits before. */
  readonly answered: Promise<void>;
  /** Resolves when it has exited, with an error that has the text of its standard error. */
  readonly ended: Promise<NodeAgentError>;
  /** Closes its standard input. */
  close(): void;
  kill(): void;
}

/** Limit of a line and of the standard error, in characters. */
const maxText = 64 * 1024;

/** Starts a program without a shell, writes `input` to its standard input and leaves that open. */
export function startProgram(command: string, args: readonly string[], input: string, onLine: (line: string) => void): RunningProgram {
  const child = spawn(command, [...args], { stdio: 'pipe', env: environment() });
  let errorOutput = '';
  let rest = '';
  const ended = new Promise<NodeAgentError>((resolve) => {
    child.once('error', (cause) => resolve(unavailable(command, errorMessage(cause), cause)));
    child.once('close', () => resolve(unavailable(command, errorOutput || 'it exited')));
  });
  const answered = new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = (lines.pop() ?? '').slice(-maxText);
      for (const line of lines) onLine(line);
      if (lines.length > 0) resolve();
    });
    ended.then(reject);
  });
  answered.catch(() => {});
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = `${errorOutput}${text}`.slice(-maxText);
  });
  child.stdin.on('error', () => {});
  child.stdin.write(input);
  return { answered, ended, close: () => void child.stdin.end(), kill: () => void child.kill('SIGKILL') };
}

/** Runs a program without a shell and returns its output. Rejects with `LogindUnavailable` if it fails, or with the signal's reason. */
export function runProgram(command: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    execFile(command, [...args], { env: environment(), maxBuffer: maxText, signal }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(signal.aborted ? signal.reason : unavailable(command, stderr || errorMessage(error), error));
    });
  });
}

function environment(): NodeJS.ProcessEnv {
  const { PATH, DBUS_SYSTEM_BUS_ADDRESS } = process.env;
  return { PATH, ...(DBUS_SYSTEM_BUS_ADDRESS && { DBUS_SYSTEM_BUS_ADDRESS }), LC_ALL: 'C' };
}

function unavailable(command: string, why: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(nodeShutdownErrorCodes.logindUnavailable, `${command}: ${why.trim()}`, {
    cause,
    retryable: true,
    hint: "delaying a shutdown requires systemd's logind on the system bus, busctl, systemd-inhibit and root",
  });
}
