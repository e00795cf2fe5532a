import { execFile } from 'node:child_process';
import { errorCode, NodeAgentError } from '@nodeagent/api';
import { imageErrorCodes } from './errors.js';

/** A program to run: its path, arguments, and variables added to the agent's environment. */
export interface PluginCommand {
  path: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** Runs a program with `input` on stdin; resolves with its stdout. Rejects if it fails. Kills it when `signal` aborts. */
export type RunPlugin = (command: PluginCommand, input: string, signal: AbortSignal) => Promise<string>;

/** Maximum size of a plugin's response. */
const maxAnswerBytes = 1 << 20;

/** {@link RunPlugin} as a process, without a shell. Its stderr is dropped, because it may contain the input. */
export const runPluginProcess: RunPlugin = ({ path, args, env }, input, signal) =>
  new Promise((resolve, reject) => {
    const options = {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      maxBuffer: maxAnswerBytes,
      killSignal: 'SIGKILL',
      signal,
    } as const;
    const child = execFile(path, [...args], options, (error, output) => {
      if (error) reject(new NodeAgentError(imageErrorCodes.credentialProviderFailed, reasonOf(error), { retryable: true }));
      else resolve(output);
    });
    // A plugin may exit before it has read all input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });

/** Node's error message would contain the output of the process. */
function reasonOf(error: Error & { code?: unknown; signal?: unknown }): string {
  if (typeof error.code === 'number') return `exit status ${error.code}`;
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `its response is longer than ${maxAnswerBytes} bytes`;
  return typeof error.signal === 'string' ? `signal ${error.signal}` : (errorCode(error) ?? 'it could not be started');
}
