import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';

const hierarchy = '/sys/fs/cgroup/cpuacct';

/** Processes and all that they start, except containers, which the OCI runtime puts into cgroups of pods. */
export interface AccountedProcesses {
  /** CPU seconds so far, of processes that have ended too. */
  cpuSeconds(): number;
  /** Proportional set size in MiB. */
  memoryMib(): number;
  count(): number;
  /** Leaves the processes where they are, outside of the group. */
  end(): void;
}

/** Only cgroup v1 counts monitors where their parent is counted: conmon and shims stay in its `cpuacct`. */
export const canAccount = existsSync(join(hierarchy, 'cgroup.procs'));

export function accountProcesses(name: string, pids: readonly number[]): AccountedProcesses {
  const folder = join(hierarchy, name);
  mkdirSync(folder);
  for (const pid of pids) writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  const members = () => readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
  return {
    cpuSeconds: () => Number(readFileSync(join(folder, 'cpuacct.usage'), 'utf8')) / 1e9,
    memoryMib: () => members().reduce((sum, pid) => sum + proportionalKib(pid) / 1024, 0),
    count: () => members().length,
    end() {
      for (const pid of members()) leave(pid);
      rmdirSync(folder);
    },
  };
}

/** Does nothing for a process that has ended meanwhile. */
function leave(pid: string): void {
  try {
    writeFileSync(join(hierarchy, 'cgroup.procs'), pid);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

function proportionalKib(pid: string): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
