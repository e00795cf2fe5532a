/**
 * Cgroup file systems in memory, for tests and simulated nodes.
 *
 * @packageDocumentation
 */

import type { CgroupFiles } from './cgroup-files.js';
import { memoryFiles } from './memory-files.js';
import { createMemoryTree, failure, findBelow, type MemoryFolder, walk } from './memory-tree.js';

/** Options of {@link createMemoryCgroups}. */
export interface MemoryCgroupsOptions {
  /** Version of the cgroups. Default 2. */
  version?: 1 | 2;
  /** The controllers. Default `cpuset cpu memory pids hugetlb`. */
  controllers?: readonly string[];
  /** Folder of the file system. Default `/sys/fs/cgroup`. */
  root?: string;
  /** Page sizes of huge pages, as the kernel's files spell them. Default `2MB` and `1GB`. */
  hugePageSizes?: readonly string[];
  /** CPUs and NUMA nodes of the machine in list notation. Default `0-3` and `0`. */
  cpus?: string;
  mems?: string;
}

/** Cgroup file systems in memory, with what a test needs around them. */
export interface MemoryCgroups {
  readonly files: CgroupFiles;
  /** Starts a process in a cgroup, given by its path from the root such as `/kubepods`. Throws if the cgroup is missing or not ready. */
  startProcess(path: string): number;
  /** Paths of all cgroups from the root, sorted; without the root. */
  paths(): string[];
  /** Text of a file of a cgroup. Throws if it is missing. */
  text(path: string, file: string): string;
}

/** Creates cgroup file systems that keep to the kernel's rules on which tests of a node agent depend. */
export function createMemoryCgroups(options: MemoryCgroupsOptions = {}): MemoryCgroups {
  const {
    version = 2,
    controllers = ['cpuset', 'cpu', 'memory', 'pids', 'hugetlb'],
    root = '/sys/fs/cgroup',
    hugePageSizes = ['2MB', '1GB'],
    cpus = '0-3',
    mems = '0',
  } = options;
  const tree = createMemoryTree({ version, controllers, root, hugePageSizes, cpus, mems });
  const { top, roots } = tree;
  const isWithoutCpus = (each: MemoryFolder) =>
    version === 1 && each.controllers.includes('cpuset') && each.files.get('cpuset.cpus') === '';
  let lastPid = 100;

  return {
    files: memoryFiles(tree),
    startProcess(path) {
      const pid = ++lastPid;
      const homes = roots.map((each) => findBelow(each, path));
      for (const home of homes) {
        if (home === undefined) throw failure('ENOENT', path);
        if (isWithoutCpus(home)) throw failure('ENOSPC', path);
        if (version === 2 && home !== top && home.files.get('cgroup.subtree_control') !== '') throw failure('EBUSY', path);
      }
      for (const home of homes) home?.pids.add(pid);
      return pid;
    },
    paths() {
      const found = new Set<string>();
      for (const each of roots) walk(each, (_, path) => found.add(path));
      found.delete('');
      return Array.from(found).sort();
    },
    text(path, file) {
      for (const each of roots) {
        const text = findBelow(each, path)?.files.get(file);
        if (text !== undefined) return text;
      }
      throw failure('ENOENT', `${path}/${file}`);
    },
  };
}
