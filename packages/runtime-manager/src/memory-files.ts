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
  /** The paths below a folder. Deleting entries during the iteration is safe. */
  function* below(folder: string): Generator<string> {
    const prefix = `${folder}/`;
    for (const path of entries.keys()) if (path.startsWith(prefix)) yield path;
  }
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
    async list(folder) {
      return [...new Set([...below(folder)].map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))];
    },
    exists: async (path) => read(path) !== undefined || below(path).next().done === false,
    async remove(path) {
      entries.delete(path);
      for (const each of below(path)) entries.delete(each);
    },
    async symlink(target, path) {
      entries.set(path, `-> ${target}`);
    },
  };
}
