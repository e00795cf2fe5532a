import { type Clock, systemClock } from '@nodeagent/api';

/** The names that Node gives to file operations and DNS requests in progress. */
const threadOperation = /^(FSReq|GetAddrInfo|GetNameInfo)/;
const maxWaitMs = 1_000;
const pollMs = 10;

/**
 * Ends the process. `process.exit` waits for the threads that run file operations and DNS requests: one that hangs, as on a lost NFS mount, would
 * keep the process for ever. If operations are still in progress after a second, SIGKILL ends it, and the exit code is lost.
 */
export async function exitProcess(code: number, clock: Pick<Clock, 'monotonic' | 'sleep'> = systemClock): Promise<void> {
  const isBusy = () => process.getActiveResourcesInfo().some((name) => threadOperation.test(name));
  if (!isBusy()) process.exit(code);
  const start = clock.monotonic();
  while (isBusy()) {
    if (clock.monotonic() - start > maxWaitMs) {
      process.stderr.write(`error: file operations hang; ended by SIGKILL instead of exit code ${code}\n`);
      process.kill(process.pid, 'SIGKILL');
    }
    await clock.sleep(pollMs);
  }
  process.exit(code);
}
