import { readdirSync } from 'node:fs';
import { readIfThere } from '../if-there.js';

/** The pid of a running container's first process, by the container's cgroup; whatever runtime it is of. */
export function firstProcessOf(containerId: string): number {
  const isOf = (pid: string) => readIfThere(`/proc/${pid}/cgroup`).includes(`/${containerId}`);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOf(name));
  const [first] = pids.sort((a, b) => startTimeOf(a) - startTimeOf(b));
  if (first === undefined) throw new Error(`container ${containerId} has no process`);
  return Number(first);
}

/** In clock ticks since the machine started: proc(5). */
const startTimeOf = (pid: string) =>
  Number(
    readIfThere(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, '')
      .split(' ')[19],
  );
