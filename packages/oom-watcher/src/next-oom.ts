/** A kill for want of memory. */
export interface Oom {
  /** The cgroup whose limit was reached; `/` if the whole system ran out. */
  limitCgroup: string;
  /** The cgroup of the victim; `/` if the kernel did not say. */
  victimCgroup: string;
  processName?: string;
  pid?: number;
}

/** What the lines so far tell of a kill that is not told to its end; undefined between two. */
export type OomState = Oom | undefined;

/**
 * What one more message of the kernel tells. A kill begins with `invoked oom-killer:`. Kernels since 4.19 give all of it in one `oom-kill:`
 * line; older ones name the cgroups in a line of their own, and the victim in the last, `Killed process`.
 */
export function nextOom(state: OomState, message: string): { state: OomState; oom?: Oom } {
  if (message.includes('invoked oom-killer:')) return { state: { limitCgroup: '/', victimCgroup: '/' } };
  if (state === undefined) return { state };

  const modern = modernLine.exec(message);
  if (modern) {
    const [, limitCgroup = '/', victimCgroup = '/', processName = '', pid] = modern;
    return { state: undefined, oom: { limitCgroup, victimCgroup, processName, pid: Number(pid) } };
  }
  const cgroups = cgroupLine.exec(message);
  if (cgroups) return { state: { ...state, victimCgroup: cgroups[1] ?? '/', limitCgroup: cgroups[2] ?? '/' } };
  const killed = lastLine.exec(message);
  if (killed) return { state: undefined, oom: { ...state, processName: killed[2] ?? '', pid: Number(killed[1]) } };
  return { state };
}

/** `global_oom` stands where a cgroup's limit is named if the whole system ran out. */
const modernLine = /oom-kill:constraint=.*,(?:oom_memcg=(.*)|global_oom),task_memcg=(.*),task=(.*),pid=(\d+),uid=\d+/;
const cgroupLine = /Task in (.*) killed as a result of limit of (.*)/;
const lastLine = /Killed process (\d+) \((.+)\)/;

/** Whether it was not a container or another cgroup that reached its own limit. */
export function isSystemOom({ limitCgroup }: Oom): boolean {
  return limitCgroup === '/';
}

/** The message of the event `SystemOOM`. */
export function systemOomMessage({ processName, pid }: Oom): string {
  const isKnown = processName !== undefined && processName !== '' && pid !== undefined && pid !== 0;
  return `System OOM encountered${isKnown ? `, victim process: ${processName}, pid: ${pid}` : ''}`;
}
