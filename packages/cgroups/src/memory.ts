/**
 * Cgroup file systems in memory, for tests and simulated nodes.
 *
 * @packageDocumentation
 */
import { checkOptionNames, type OptionNames } from '@nodeagent/api';
import type { CgroupFiles } from './cgroup-files.js';
import { words } from './hierarchy.js';

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

interface Folder {
  controllers: readonly string[];
  files: Map<string, string>;
  folders: Map<string, Folder>;
  pids: Set<number>;
}

/** Names of files that only a cgroup below the root has, with their first text, by controller. */
const kernelFiles = (version: 1 | 2, hugePageSizes: readonly string[]): Record<string, Record<string, string>> =>
  version === 1
    ? {
        cpu: { 'cpu.shares': '1024', 'cpu.cfs_period_us': '100000', 'cpu.cfs_quota_us': '-1' },
        cpuset: { 'cpuset.cpus': '', 'cpuset.mems': '' },
        memory: { 'memory.limit_in_bytes': '9223372036854771712', 'memory.usage_in_bytes': '0' },
        pids: { 'pids.max': 'max' },
        hugetlb: Object.fromEntries(hugePageSizes.map((size) => [`hugetlb.${size}.limit_in_bytes`, '9223372036854771712'])),
      }
    : {
        cpu: { 'cpu.weight': '100', 'cpu.max': 'max 100000' },
        cpuset: { 'cpuset.cpus': '', 'cpuset.mems': '' },
        memory: {
          'memory.min': '0',
          'memory.low': '0',
          'memory.high': 'max',
          'memory.max': 'max',
          'memory.swap.max': 'max',
          'memory.oom.group': '0',
          'memory.current': '0',
        },
        pids: { 'pids.max': 'max' },
        hugetlb: Object.fromEntries(hugePageSizes.map((size) => [`hugetlb.${size}.max`, 'max'])),
      };

const optionNames: OptionNames<MemoryCgroupsOptions> = {
  version: true,
  controllers: true,
  root: true,
  hugePageSizes: true,
  cpus: true,
  mems: true,
};

/** Creates cgroup file systems that keep to the kernel's rules on which tests of a node agent depend. */
export function createMemoryCgroups(options: MemoryCgroupsOptions = {}): MemoryCgroups {
  checkOptionNames('createMemoryCgroups', options, optionNames);
  const {
    version = 2,
    controllers = ['cpuset', 'cpu', 'memory', 'pids', 'hugetlb'],
    root = '/sys/fs/cgroup',
    hugePageSizes = ['2MB', '1GB'],
    cpus = '0-3',
    mems = '0',
  } = options;
  const filesOf = kernelFiles(version, hugePageSizes);
  let lastPid = 100;

  const folder = (own: readonly string[]): Folder => ({
    controllers: own,
    files: new Map([
      ['cgroup.procs', ''],
      ...(version === 2 ? [['cgroup.controllers', own.join(' ')] as const, ['cgroup.subtree_control', ''] as const] : []),
      ...own.flatMap((controller) => Object.entries(filesOf[controller] ?? {})),
    ]),
    folders: new Map(),
    pids: new Set(),
  });
  const top: Folder = { controllers: [], files: new Map(), folders: new Map(), pids: new Set() };
  const mounts: Folder[] = [];
  if (version === 2) {
    const mounted = folder(controllers);
    mounts.push(mounted);
    Object.assign(top, mounted);
  } else {
    for (const controller of controllers) {
      const mounted = folder([controller]);
      if (controller === 'cpuset') mounted.files.set('cpuset.cpus', cpus).set('cpuset.mems', mems);
      top.folders.set(controller, mounted);
      mounts.push(mounted);
    }
  }

  const failure = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code });
  const namesIn = (path: string) => path.split('/').filter((name) => name !== '');
  const find = (from: Folder, path: string): Folder | undefined =>
    namesIn(path).reduce<Folder | undefined>((at, name) => at?.folders.get(name), from);
  const at = (path: string): Folder => {
    const found = path === root || path.startsWith(`${root}/`) ? find(top, path.slice(root.length)) : undefined;
    if (found === undefined) throw failure('ENOENT', path);
    return found;
  };
  const split = (path: string): [string, string] => [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
  const roots = () => (version === 2 ? [top] : mounts);
  const walk = (from: Folder, visit: (folder: Folder, path: string) => void, path = '') => {
    visit(from, path);
    for (const [name, below] of from.folders) walk(below, visit, `${path}/${name}`);
  };
  const isWithoutCpus = (each: Folder) => version === 1 && each.controllers.includes('cpuset') && each.files.get('cpuset.cpus') === '';

  const enable = (each: Folder, path: string, text: string) => {
    const enabled = new Set(words(each.files.get('cgroup.subtree_control') ?? ''));
    for (const change of words(text)) {
      const controller = change.slice(1);
      if (!each.controllers.includes(controller)) throw failure('ENOENT', path);
      if (change.startsWith('+')) enabled.add(controller);
      else enabled.delete(controller);
    }
    if (each !== top && each.pids.size > 0 && enabled.size > 0) throw failure('EBUSY', path);
    each.files.set('cgroup.subtree_control', Array.from(enabled).join(' '));
    for (const below of each.folders.values()) {
      const fresh = folder(Array.from(enabled));
      below.controllers = fresh.controllers;
      below.files = new Map([
        ...fresh.files,
        ...[...below.files].filter(([name]) => name !== 'cgroup.controllers' && fresh.files.has(name)),
      ]);
    }
  };

  const files: CgroupFiles = {
    async mkdir(path) {
      const [parent, name] = split(path);
      const above = at(parent);
      if (above.folders.has(name)) throw failure('EEXIST', path);
      if (version === 1 && above === top) throw failure('EPERM', path);
      above.folders.set(name, folder(version === 2 ? words(above.files.get('cgroup.subtree_control') ?? '') : above.controllers));
    },
    async rmdir(path) {
      const [parent, name] = split(path);
      const each = at(path);
      if (each.folders.size > 0 || each.pids.size > 0) throw failure('EBUSY', path);
      at(parent).folders.delete(name);
    },
    async isFolder(path) {
      return path === root || (path.startsWith(`${root}/`) && find(top, path.slice(root.length)) !== undefined);
    },
    folders: async (path) => Array.from(at(path).folders.keys()),
    files: async (path) => Array.from(at(path).files.keys()),
    async read(path) {
      const [parent, name] = split(path);
      const each = at(parent);
      if (name === 'cgroup.procs' && each.files.has(name)) return Array.from(each.pids, (pid) => `${pid}\n`).join('');
      const text = each.files.get(name);
      if (text === undefined) throw failure('ENOENT', path);
      return `${text}\n`;
    },
    async write(path, text) {
      const [parent, name] = split(path);
      const each = at(parent);
      if (!each.files.has(name)) throw failure('ENOENT', path);
      if (name === 'cgroup.subtree_control') enable(each, path, text);
      else if (name === 'cpu.weight' && !(Number(text) >= 1 && Number(text) <= 10_000)) throw failure('ERANGE', path);
      else if (name === 'cpu.shares') each.files.set(name, String(Math.min(Math.max(Number(text), 2), 262_144)));
      else each.files.set(name, text === '-1' && name === 'memory.limit_in_bytes' ? '9223372036854771712' : text);
    },
    kill(pid) {
      for (const each of roots()) walk(each, ({ pids }) => pids.delete(pid));
    },
  };

  return {
    files,
    startProcess(path) {
      const pid = ++lastPid;
      const homes = roots().map((each) => find(each, path));
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
      for (const each of roots()) walk(each, (_, path) => found.add(path));
      found.delete('');
      return Array.from(found).sort();
    },
    text(path, file) {
      for (const each of roots()) {
        const text = find(each, path)?.files.get(file);
        if (text !== undefined) return text;
      }
      throw failure('ENOENT', `${path}/${file}`);
    },
  };
}
