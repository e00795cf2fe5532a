import { words } from './hierarchy.js';

/** The folder of a cgroup. */
export interface MemoryFolder {
  controllers: readonly string[];
  /** Texts by name. */
  files: Map<string, string>;
  folders: Map<string, MemoryFolder>;
  pids: Set<number>;
}

export interface MemoryTreeOptions {
  version: 1 | 2;
  controllers: readonly string[];
  /** Folder of the file system. */
  root: string;
  hugePageSizes: readonly string[];
  cpus: string;
  mems: string;
}

/** The folders of cgroup file systems in memory, as the kernel creates them. */
export interface MemoryTree {
  readonly version: 1 | 2;
  /** The folder of the file system: on version 1 it has one for each controller. */
  readonly top: MemoryFolder;
  /** The root cgroups: one on version 2, one for each controller on version 1. */
  readonly roots: readonly MemoryFolder[];
  /** Creates the folder of a cgroup with these controllers. */
  newFolder(controllers: readonly string[]): MemoryFolder;
  /** A folder by its path in the file system. Throws `ENOENT`. */
  at(path: string): MemoryFolder;
  find(path: string): MemoryFolder | undefined;
  /** Enables and disables controllers for the cgroups below, as a write of `cgroup.subtree_control` does. */
  enable(folder: MemoryFolder, path: string, text: string): void;
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

/** The error of a call, with its errno. */
export const failure = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code });

/** Calls `visit` for the folder and those below, with their paths from it. */
export function walk(from: MemoryFolder, visit: (folder: MemoryFolder, path: string) => void, path = ''): void {
  visit(from, path);
  for (const [name, below] of from.folders) walk(below, visit, `${path}/${name}`);
}

/** The folder with this path below another one. */
export function findBelow(from: MemoryFolder, path: string): MemoryFolder | undefined {
  const names = path.split('/').filter((name) => name !== '');
  return names.reduce<MemoryFolder | undefined>((at, name) => at?.folders.get(name), from);
}

export function createMemoryTree({ version, controllers, root, hugePageSizes, cpus, mems }: MemoryTreeOptions): MemoryTree {
  const filesOf = kernelFiles(version, hugePageSizes);
  const newFolder = (own: readonly string[]): MemoryFolder => ({
    controllers: own,
    files: new Map([
      ['cgroup.procs', ''],
      ...(version === 2 ? [['cgroup.controllers', own.join(' ')] as const, ['cgroup.subtree_control', ''] as const] : []),
      ...own.flatMap((controller) => Object.entries(filesOf[controller] ?? {})),
    ]),
    folders: new Map(),
    pids: new Set(),
  });
  const mount = (controller: string) => {
    const mounted = newFolder([controller]);
    if (controller === 'cpuset') mounted.files.set('cpuset.cpus', cpus).set('cpuset.mems', mems);
    return mounted;
  };
  const mounts = version === 1 ? new Map(controllers.map((controller) => [controller, mount(controller)])) : undefined;
  const top: MemoryFolder = mounts ? { controllers: [], files: new Map(), folders: mounts, pids: new Set() } : newFolder(controllers);
  const find = (path: string) => (path === root || path.startsWith(`${root}/`) ? findBelow(top, path.slice(root.length)) : undefined);

  return {
    version,
    top,
    roots: mounts ? [...mounts.values()] : [top],
    newFolder,
    find,
    at(path) {
      const found = find(path);
      if (found === undefined) throw failure('ENOENT', path);
      return found;
    },
    enable(folder, path, text) {
      const enabled = new Set(words(folder.files.get('cgroup.subtree_control') ?? ''));
      for (const change of words(text)) {
        const controller = change.slice(1);
        if (!folder.controllers.includes(controller)) throw failure('ENOENT', path);
        if (change.startsWith('+')) enabled.add(controller);
        else enabled.delete(controller);
      }
      if (folder !== top && folder.pids.size > 0 && enabled.size > 0) throw failure('EBUSY', path);
      folder.files.set('cgroup.subtree_control', Array.from(enabled).join(' '));
      for (const below of folder.folders.values()) setControllers(below, newFolder(Array.from(enabled)));
    },
  };
}

/** The folder gets the files of the fresh one; those that it has keep their texts. */
function setControllers(folder: MemoryFolder, fresh: MemoryFolder): void {
  const kept = [...folder.files].filter(([name]) => name !== 'cgroup.controllers' && fresh.files.has(name));
  folder.controllers = fresh.controllers;
  folder.files = new Map([...fresh.files, ...kept]);
}
