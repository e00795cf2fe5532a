import { readdirSync, readFileSync } from 'node:fs';
import type { Clock } from '@nodeagent/api';
import { unknownError } from '../errors.js';
import { findProcess } from '../state/process-ref.js';
import { monitorVariable } from './start-monitor.js';

/** SIGKILL ends a process at once, unless it waits in the kernel. */
const killedMs = 5_000;
const pollMs = 20;

/**
 * Kills conmon and what it runs for a container, so that it cannot be created any more. The OCI runtime survives a conmon that was killed, and
 * would complete the container after its removal.
 */
export const endMonitor = (containerId: string, clock: Clock) => endProcesses(`${monitorVariable}=${containerId}`, clock);

/**
 * Ends all processes whose environment has an entry, which child processes inherit, but not those of containers.
 *
 * @param graceMs - how long they may take before they are killed. Default 0
 */
export async function endProcesses(entry: string, clock: Clock, graceMs = 0): Promise<void> {
  const graceEnd = clock.monotonic() + graceMs;
  for (let left = processesWith(entry); left.length > 0; left = processesWith(entry)) {
    const now = clock.monotonic();
    if (now > graceEnd + killedMs) throw unknownError(`processes do not end after SIGKILL: ${left.join(', ')}`);
    if (now >= graceEnd) for (const pid of left) kill(pid);
    await clock.sleep(pollMs);
  }
}

function processesWith(entry: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.map(Number).filter((pid) => {
    try {
      const entries = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
      return entries.includes(entry) && findProcess(pid) !== undefined;
    } catch {
      return false;
    }
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
