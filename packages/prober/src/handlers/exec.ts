import { type EnvVar, type ExecAction, errorCode, errorMessage, expandContainerCommand, formatDuration } from '@nodeagent/api';
import { commandTimeout } from '../errors.js';
import { errored, failed, outputLimit, type ProbeAttempt, succeeded } from '../probe-attempt.js';

/** What a command that ended left. */
export interface CommandResult {
  exitCode: number;
  stdout: Uint8Array | string;
  stderr: Uint8Array | string;
}

/**
 * Runs a command in the target to its end. Rejects with the code `CRI_DEADLINE_EXCEEDED` if it takes longer than `timeoutMs`, with anything
 * else if it could not be run, which is tried again.
 */
export type RunCommand = (command: string[], options: { timeoutMs: number; signal: AbortSignal }) => Promise<CommandResult>;

/** The command of a probe: `$(NAME)` is replaced by the value that the container's `env` gives literally; one from elsewhere is empty. */
export function probeCommand(action: ExecAction, env: readonly EnvVar[] = []): string[] {
  return expandContainerCommand(
    action,
    env.map(({ name, value, valueFrom }) => ({ name, value: valueFrom ? '' : (value ?? '') })),
  );
}

/** An exec probe: exit code 0 is success, and taking too long is failure. Never rejects. */
export async function execProbe(command: string[], run: RunCommand, timeoutMs: number, signal: AbortSignal): Promise<ProbeAttempt> {
  try {
    const { exitCode, stdout, stderr } = await run(command, { timeoutMs, signal });
    const output = Buffer.concat([Buffer.from(stdout as string), Buffer.from(stderr as string)]).toString('utf8', 0, outputLimit);
    return exitCode === 0 ? succeeded(output) : failed(output);
  } catch (error) {
    if (errorCode(error) !== commandTimeout) return errored(errorMessage(error));
    return failed(`command timed out: ${JSON.stringify(command.join(' '))} timed out after ${formatDuration(timeoutMs)}`);
  }
}
