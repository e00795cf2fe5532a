import { errorMessage } from '@nodeagent/api';
import type { RunProgram } from './run-program.js';

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
