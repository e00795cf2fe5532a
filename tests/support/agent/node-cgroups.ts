import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listIfThere } from '../if-there.js';
import { cgroupPaths, cgroupRootOf } from './cgroup-roots.js';

/** Whether the machine has the controllers of cgroup v1. */
export const isCgroupV1 = listIfThere('/sys/fs/cgroup/memory').length > 0;

/** Path of a cgroup below `kubepods` of the agent with this root directory. */
export const kubepodsPath = (rootDir: string, ...names: string[]): string => join(cgroupRootOf(rootDir), 'kubepods', ...names);

/** The folders of a cgroup that exist, one for each hierarchy. */
export const cgroupFolders = (path: string): string[] => cgroupPaths(path).filter((folder) => listIfThere(folder).includes('cgroup.procs'));

/** Text of a file of a cgroup, in the hierarchy that has it; undefined without one. */
export function readCgroup(path: string, file: string): string | undefined {
  const folder = cgroupFolders(path).find((each) => listIfThere(each).includes(file));
  return folder && readFileSync(join(folder, file), 'utf8').trim();
}

/** CPU weight, CPU limit and memory limit of a cgroup, as the kernel's files spell them. */
export function cgroupValues(path: string): (string | undefined)[] {
  const files = isCgroupV1 ? ['cpu.shares', 'cpu.cfs_quota_us', 'memory.limit_in_bytes'] : ['cpu.weight', 'cpu.max', 'memory.max'];
  return files.map((file) => readCgroup(path, file));
}

/** What {@link cgroupValues} reads of a cgroup with these CPU shares, quota and memory. No limit: undefined. */
export function expectedValues({ shares, quota, memory }: { shares: number; quota?: number; memory?: string }): string[] {
  const [, amount = '0', unit] = /^(\d+)(Mi|Gi)$/.exec(memory ?? '0Mi') ?? [];
  const bytes = Number(amount) * 2 ** (unit === 'Gi' ? 30 : 20);
  if (isCgroupV1) return [`${shares}`, `${quota ?? -1}`, memory === undefined ? '9223372036854771712' : `${bytes}`];
  const weight = 1 + Math.trunc(((shares - 2) * 9999) / 262_142);
  return [`${weight}`, `${quota ?? 'max'} 100000`, memory === undefined ? 'max' : `${bytes}`];
}

/** The UIDs of the pods that have a cgroup in any hierarchy, with the hierarchies that have it, sorted. */
export function podCgroups(rootDir: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const qos of ['', 'burstable', 'besteffort']) {
    for (const folder of cgroupPaths(kubepodsPath(rootDir, qos))) {
      for (const name of listIfThere(folder)) if (name.startsWith('pod')) found.set(name.slice(3), (found.get(name.slice(3)) ?? 0) + 1);
    }
  }
  return new Map(Array.from(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}
