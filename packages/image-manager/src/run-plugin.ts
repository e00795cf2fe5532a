import { execFile } from 'node:child_process';
import { errorCode, NodeAgentError } from '@nodeagent/api';
import { imageErrorCodes } from './errors.js';

/** A program to run: its path, arguments, and variables beside the agent's own. */
export interface PluginCommand {
  path: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** Runs a program that reads `input` and answers on its output. Rejects if it fails; is killed when `signal` aborts. */
export type RunPlugin = (command: PluginCommand, input: string, signal: AbortSignal) => Promise<string>;

/** Longest answer of a plugin. */
const maxAnswerBytes = 1 << 20;

/** {@link RunPlugin} as a process, without a shell. What the process writes to its error output is dropped: it may quote its input. */
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
    // A plugin need not read its input to the end.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });

/** Node's own message would repeat what the process wrote. */
function reasonOf(error: Error & { code?: unknown; signal?: unknown }): string {
  if (typeof error.code === 'number') return `exit status ${error.code}`;
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `its answer is longer than ${maxAnswerBytes} bytes`;
  return typeof error.signal === 'string' ? `signal ${error.signal}` : (errorCode(error) ?? 'it could not be run');
}
