import type { CgroupFiles } from './cgroup-files.js';
import { words } from './hierarchy.js';
import { failure, type MemoryTree, walk } from './memory-tree.js';

/** The files of cgroups in memory. */
export function memoryFiles({ version, top, roots, newFolder, at, find, enable }: MemoryTree): CgroupFiles {
  return {
    async mkdir(path) {
      const [parent, name] = split(path);
      const above = at(parent);
      if (above.folders.has(name)) throw failure('EEXIST', path);
      if (version === 1 && above === top) throw failure('EPERM', path);
      above.folders.set(name, newFolder(version === 2 ? words(above.files.get('cgroup.subtree_control') ?? '') : above.controllers));
    },
    async rmdir(path) {
      const [parent, name] = split(path);
      const each = at(path);
      if (each.folders.size > 0 || each.pids.size > 0) throw failure('EBUSY', path);
      at(parent).folders.delete(name);
    },
    isFolder: async (path) => find(path) !== undefined,
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
      for (const each of roots) walk(each, ({ pids }) => pids.delete(pid));
    },
  };
}

/** The path of the folder, and the name in it. */
const split = (path: string): [string, string] => [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
