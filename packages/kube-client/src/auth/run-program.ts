import { errorMessage } from '@nodeagent/api';

/** A program to run, without a shell. */
export interface ProgramRequest {
  command: string;
  args: readonly string[];
  /** Added to this process's environment. */
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export interface ProgramResult {
  /** Undefined if the program did not run, or was killed by a signal. */
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
  /** Why the program did not run: `ENOENT`, `EACCES`, ... */
  problem?: string;
}

/** Runs a program until it exits, and kills it when the signal aborts; the port of credential plugins. Rejects only with the signal's reason. */
export type RunProgram = (request: ProgramRequest) => Promise<ProgramResult>;

const maxOutputBytes = 1024 * 1024;

/** {@link RunProgram} by node:child_process, which is loaded at the first call. */
export const runProgram: RunProgram = async ({ command, args, env, signal }) => {
  const { execFile } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = execFile(
      command,
      [...args],
      { env: { ...process.env, ...env }, maxBuffer: maxOutputBytes, killSignal: 'SIGKILL', signal },
      (error, stdout, stderr) => {
        if (signal.aborted) return reject(signal.reason);
        if (error === null) return resolve({ exitCode: 0, stdout, stderr });
        const isExit = typeof error.code === 'number';
        resolve({ exitCode: isExit ? Number(error.code) : undefined, stdout, stderr, ...(isExit ? {} : { problem: reasonOf(error) }) });
      },
    );
    child.stdin?.on('error', () => {}).end();
  });
};

/** Never the message of `execFile`, which repeats the arguments. */
function reasonOf(error: { code?: unknown; signal?: unknown }): string {
  return String(error.code ?? error.signal ?? errorMessage(error)).split('\n', 1)[0] ?? '';
}
