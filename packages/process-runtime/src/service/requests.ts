import { failedPrecondition, invalidArgument } from '../errors.js';

/** The error of calls before the start and after the stop. */
export const notStarted = () => failedPrecondition('the runtime is not started', { retryable: true });

/** The milliseconds of a timeout in seconds. */
export function timeoutMs(seconds = 0n): number {
  if (seconds < 0n) throw invalidArgument('timeout', 'must not be negative');
  return Number(seconds) * 1000;
}

export function checkCommand(cmd: readonly string[]): void {
  if ((cmd[0] ?? '') === '' || cmd.some((each) => each.includes('\0'))) {
    throw invalidArgument('cmd', 'must name a command, without NUL bytes');
  }
}
