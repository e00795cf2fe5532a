import type { PsiStats } from '@nodeagent/cri-api';
import { cgroupFiles, numberIn, present, type ReadCgroupFile, valuesOf } from './cgroup-files.js';

/** Current usage of a cgroup. Values that the kernel does not have are absent. */
export interface ContainerUsage {
  cpuNanos: bigint;
  userNanos?: bigint;
  systemNanos?: bigint;
  memoryBytes: bigint;
  workingSetBytes: bigint;
  rssBytes: bigint;
  cacheBytes?: bigint;
  mappedFileBytes?: bigint;
  swapBytes?: bigint;
  pageFaults?: bigint;
  majorPageFaults?: bigint;
  /** Absent without a limit. */
  memoryLimitBytes?: bigint;
  /** Processes in the cgroup, without those in cgroups below. */
  processes?: bigint;
  pressure?: { cpu?: PsiStats; memory?: PsiStats; io?: PsiStats };
}

/** Names of the values in `memory.stat`; of version 1 those with the cgroups below. */
const memoryNames = {
  1: {
    inactiveFile: 'total_inactive_file',
    rss: 'total_rss',
    cache: 'total_cache',
    mappedFile: 'total_mapped_file',
    pageFaults: 'total_pgfault',
    majorPageFaults: 'total_pgmajfault',
  },
  2: {
    inactiveFile: 'inactive_file',
    rss: 'anon',
    cache: 'file',
    mappedFile: 'file_mapped',
    pageFaults: 'pgfault',
    majorPageFaults: 'pgmajfault',
  },
} as const;

/** `USER_HZ`, in which the kernel reports times to programs. */
const nanosPerTick = 10_000_000n;
/** cgroup v1 reports the largest number of pages for no limit. */
const noLimit = 1n << 62n;

/**
 * Reads the usage of a cgroup; undefined if it does not exist, as after the exit. The working set is the usage without inactive file pages, as
 * cAdvisor has it. cgroup-v2.rst; memory.rst and cpuacct.rst of cgroup v1.
 *
 * @param path - from the root of the hierarchy, with a leading `/`
 */
export function readUsage(path: string, version: 1 | 2, mountPoint = '/sys/fs/cgroup'): ContainerUsage | undefined {
  const read = cgroupFiles(path, version, mountPoint);
  const statText = read('memory', 'memory.stat');
  const memoryBytes = numberIn(read('memory', version === 1 ? 'memory.usage_in_bytes' : 'memory.current'));
  const cpu = version === 1 ? cpuTimesV1(read) : cpuTimesV2(read);
  if (statText === undefined || memoryBytes === undefined || cpu === undefined) return undefined;
  const stat = valuesOf(statText);
  const names = memoryNames[version];
  const inactive = stat.get(names.inactiveFile) ?? 0n;
  const limit = numberIn(read('memory', version === 1 ? 'memory.limit_in_bytes' : 'memory.max'));
  const processes = read(version === 1 ? 'cpuacct' : '', 'cgroup.procs');
  return present({
    ...cpu,
    memoryBytes,
    workingSetBytes: memoryBytes > inactive ? memoryBytes - inactive : 0n,
    rssBytes: stat.get(names.rss) ?? 0n,
    cacheBytes: stat.get(names.cache),
    mappedFileBytes: stat.get(names.mappedFile),
    swapBytes: version === 1 ? stat.get('total_swap') : numberIn(read('memory', 'memory.swap.current')),
    pageFaults: stat.get(names.pageFaults),
    majorPageFaults: stat.get(names.majorPageFaults),
    memoryLimitBytes: limit !== undefined && limit < noLimit ? limit : undefined,
    processes: processes === undefined ? undefined : BigInt(processes.split('\n').length - 1),
    pressure: version === 2 ? readPressure(read) : undefined,
  });
}

function cpuTimesV1(read: ReadCgroupFile) {
  const cpuNanos = numberIn(read('cpuacct', 'cpuacct.usage'));
  if (cpuNanos === undefined) return undefined;
  const times = valuesOf(read('cpuacct', 'cpuacct.stat') ?? '');
  const nanos = (name: string) => inNanos(times.get(name), nanosPerTick);
  return { cpuNanos, userNanos: nanos('user'), systemNanos: nanos('system') };
}

function cpuTimesV2(read: ReadCgroupFile) {
  const stat = read('cpu', 'cpu.stat');
  if (stat === undefined) return undefined;
  const times = valuesOf(stat);
  const nanos = (name: string) => inNanos(times.get(name), 1000n);
  return { cpuNanos: nanos('usage_usec') ?? 0n, userNanos: nanos('user_usec'), systemNanos: nanos('system_usec') };
}

const inNanos = (value: bigint | undefined, factor: bigint) => (value === undefined ? undefined : value * factor);

function readPressure(read: ReadCgroupFile): ContainerUsage['pressure'] {
  const [cpu, memory, io] = ['cpu', 'memory', 'io'].map((name) => parsePressure(read('', `${name}.pressure`) ?? ''));
  return (cpu ?? memory ?? io) ? present({ cpu, memory, io }) : undefined;
}

/** Pressure stall information; undefined where the kernel has none. Documentation/accounting/psi.rst of the kernel. */
export function parsePressure(text: string): PsiStats | undefined {
  const lines = [...text.matchAll(/^(some|full) avg10=([\d.]+) avg60=([\d.]+) avg300=([\d.]+) total=(\d+)$/gm)];
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map(([, name, avg10, avg60, avg300, total]) => [
      name,
      { total: BigInt(total ?? 0), avg10: Number(avg10), avg60: Number(avg60), avg300: Number(avg300) },
    ]),
  );
}

/** The sum of the usage of several cgroups. */
export function sumUsage(usages: readonly ContainerUsage[]): ContainerUsage {
  const sum = (name: 'cpuNanos' | 'memoryBytes' | 'workingSetBytes' | 'rssBytes') => usages.reduce((total, each) => total + each[name], 0n);
  return { cpuNanos: sum('cpuNanos'), memoryBytes: sum('memoryBytes'), workingSetBytes: sum('workingSetBytes'), rssBytes: sum('rssBytes') };
}
