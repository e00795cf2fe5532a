/** An OOM kill. */
export interface Oom {
  /** The cgroup whose limit was reached; `/` if the system is out of memory. */
  limitCgroup: string;
  /** The cgroup of the victim; `/` if the kernel did not report it. */
  victimCgroup: string;
  processName?: string;
  pid?: number;
}

/** The incomplete OOM kill of the messages so far; undefined between two kills. */
export type OomState = Oom | undefined;

/**
 * Processes one kernel message. A kill starts with `invoked oom-killer:`. Kernels since 4.19 report it in one `oom-kill:` line; older ones
 * report the cgroups in a separate line, and the victim in the last one, `Killed process`.
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

/** If the system is out of memory, `global_oom` replaces the cgroup of the limit. */
const modernLine = /oom-kill:constraint=.*,(?:oom_memcg=(.*)|global_oom),task_memcg=(.*),task=(.*),pid=(\d+),uid=\d+/;
const cgroupLine = /Task in (.*) killed as a result of limit of (.*)/;
const lastLine = /Killed process (\d+) \((.+)\)/;

/** Whether the system is out of memory, rather than a container or another cgroup at its limit. */
export function isSystemOom({ limitCgroup }: Oom): boolean {
  return limitCgroup === '/';
}

/** The message of the event `SystemOOM`. */
export function systemOomMessage({ processName, pid }: Oom): string {
  const isKnown = processName !== undefined && processName !== '' && pid !== undefined && pid !== 0;
  return `System OOM encountered${isKnown ? `, victim process: ${processName}, pid: ${pid}` : ''}`;
}
