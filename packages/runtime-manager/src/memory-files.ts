import type { PodFiles } from './files.js';

/** Files in memory for tests and simulations; `entries` exposes their content. */
export interface MemoryFiles extends PodFiles {
  /** Content of files and, after `-> `, targets of links by path. */
  readonly entries: ReadonlyMap<string, string>;
  /** Appends to a file, as a runtime in memory does with logs. */
  append(path: string, text: string): void;
}

/** {@link PodFiles} that touch no disk. A folder exists when it has an entry; modes are ignored. */
export function createMemoryFiles(): MemoryFiles {
  const entries = new Map<string, string>();
  const encoder = new TextEncoder();
  const isLink = (content: string | undefined) => content?.startsWith('-> ') ?? false;
  const read = (path: string): string | undefined => {
    const content = entries.get(path);
    return isLink(content) ? entries.get((content as string).slice(3)) : content;
  };
  return {
    entries,
    append(path, text) {
      entries.set(path, (entries.get(path) ?? '') + text);
    },
    async makeDirectory() {},
    async writeFile(path, content) {
      entries.set(path, content);
    },
    readText: async (path) => read(path),
    async readTail(path, maxBytes) {
      const content = read(path);
      return content === undefined ? undefined : encoder.encode(content).slice(-maxBytes);
    },
    async list(path) {
      const prefix = `${path}/`;
      const names = [...entries.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length).split('/')[0] ?? '');
      return [...new Set(names)];
    },
    async exists(path) {
      const prefix = `${path}/`;
      return read(path) !== undefined || [...entries.keys()].some((key) => key.startsWith(prefix));
    },
    async remove(path) {
      for (const key of [...entries.keys()]) if (key === path || key.startsWith(`${path}/`)) entries.delete(key);
    },
    async symlink(target, path) {
      entries.set(path, `-> ${target}`);
    },
  };
}
