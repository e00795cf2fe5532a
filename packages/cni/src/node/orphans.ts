import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '@nodeagent/api';

/** How long the programs may take: one that is killed while it writes may leave what no DEL removes. */
const graceMs = 5_000;
const killedMs = 1_000;
const pollMs = 50;

/** Waits for the plugins' programs that a killed process started for these containers, then kills those that are left. */
export async function endOrphans(containerIds: ReadonlySet<string>, clock: Clock, signal?: AbortSignal): Promise<void> {
  if (await noneLeft(containerIds, graceMs, clock, signal)) return;
  for (const pid of await findPrograms(containerIds)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  await noneLeft(containerIds, killedMs, clock, signal);
}

async function noneLeft(containerIds: ReadonlySet<string>, limitMs: number, clock: Clock, signal?: AbortSignal): Promise<boolean> {
  const limit = clock.monotonic() + limitMs;
  while ((await findPrograms(containerIds)).length > 0) {
    if (clock.monotonic() >= limit) return false;
    await clock.sleep(pollMs, signal);
  }
  return true;
}

/** The plugins' programs and their child processes, by the environment, which they inherit. */
async function findPrograms(containerIds: ReadonlySet<string>): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    if (pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    const [, containerId] = /(?:^|\0)CNI_CONTAINERID=([^\0]*)/.exec(environment) ?? [];
    if (containerId !== undefined && containerIds.has(containerId)) found.push(pid);
  }
  return found;
}
