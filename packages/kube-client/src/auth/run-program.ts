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
  /** Undefined if it did not run, or was ended by a signal. */
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
  /** Why it did not run: `ENOENT`, `EACCES`, ... */
  problem?: string;
}

/** Runs a program to its end, the port of credential plugins. Never rejects but with the signal's reason. */
export type RunProgram = (request: ProgramRequest) => Promise<ProgramResult>;

const mostOutput = 1024 * 1024;

/** {@link RunProgram} by node:child_process, which is loaded when it is first needed. */
export const runProgram: RunProgram = async ({ command, args, env, signal }) => {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = execFile(
      command,
      [...args],
      { env: { ...process.env, ...env }, maxBuffer: mostOutput, signal },
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
