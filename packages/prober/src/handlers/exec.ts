import { type EnvVar, type ExecAction, errorCode, errorMessage } from '@nodeagent/api';
import { decodeUtf8, encodeUtf8, expandContainerCommand, formatDuration } from '@nodeagent/api/helpers';
import { commandTimeout } from '../errors.js';
import { errored, failed, outputLimit, type ProbeAttempt, succeeded } from '../probe-attempt.js';

/** The result of a command. */
export interface CommandResult {
  exitCode: number;
  /** Default: none. */
  stdout?: Uint8Array | string;
  /** Default: none. */
  stderr?: Uint8Array | string;
}

/**
 * Runs a command in the target to its end. Rejects with the code `CRI_DEADLINE_EXCEEDED` if it takes longer than `timeoutMs`, with any
 * other error if it could not be run; the prober retries the latter.
 */
export type RunCommand = (command: string[], options: { timeoutMs: number; signal: AbortSignal }) => Promise<CommandResult>;

/** The command of a probe, with `$(NAME)` replaced by the literal value in the container's `env`. A variable with `valueFrom` is empty. */
export function probeCommand(action: ExecAction, env: readonly EnvVar[] = []): string[] {
  return expandContainerCommand(
    action,
    env.map(({ name, value, valueFrom }) => ({ name, value: valueFrom ? '' : (value ?? '') })),
  );
}

/** Makes an exec probe: exit code 0 is success, a timeout is failure. Never rejects. */
export async function execProbe(command: string[], run: RunCommand, timeoutMs: number, signal: AbortSignal): Promise<ProbeAttempt> {
  try {
    const { exitCode, stdout = '', stderr = '' } = await run(command, { timeoutMs, signal });
    const output = outputOf(stdout, stderr);
    return exitCode === 0 ? succeeded(output) : failed(output);
  } catch (error) {
    if (errorCode(error) !== commandTimeout) return errored(errorMessage(error));
    return failed(`command timed out: ${JSON.stringify(command.join(' '))} timed out after ${formatDuration(timeoutMs)}`);
  }
}

/** The text of the first bytes of both streams. */
function outputOf(...streams: readonly (Uint8Array | string)[]): string {
  const output = new Uint8Array(outputLimit);
  let length = 0;
  for (const stream of streams) {
    const bytes = typeof stream === 'string' ? encodeUtf8(stream) : stream;
    const part = bytes.subarray(0, outputLimit - length);
    output.set(part, length);
    length += part.length;
  }
  return decodeUtf8(output.subarray(0, length));
}
