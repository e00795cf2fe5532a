import type { LogFiles } from './log-files.js';

/** For this package's tests: files with the semantics that matter to logs: a writer keeps writing into a file that was renamed. */
export interface MemoryDisk extends LogFiles {
  /** Appends to what is open under the handle. */
  write(handle: MemoryFile, line: string): void;
  /** Opens a file for appending, made if it is not there. */
  open(path: string): MemoryFile;
  /** All lines of all files whose paths begin with `prefix`, in the order of the files' names. */
  lines(prefix: string): string[];
  paths(): string[];
}

export interface MemoryFile {
  lines: string[];
}

/** `trouble` is asked before each operation and throws what it shall fail with. */
export function createMemoryDisk(trouble: (operation: string, path: string) => void = () => {}): MemoryDisk {
  const files = new Map<string, MemoryFile>();
  const need = (path: string): MemoryFile => {
    const file = files.get(path);
    if (file === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    return file;
  };
  const sizeOf = ({ lines }: MemoryFile) => lines.reduce((sum, line) => sum + line.length + 1, 0);
  return {
    async size(path) {
      trouble('size', path);
      const file = files.get(path);
      return file && sizeOf(file);
    },
    async list(folder) {
      trouble('list', folder);
      return [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
    },
    async remove(path) {
      trouble('remove', path);
      files.delete(path);
    },
    async rename(from, to) {
      trouble('rename', from);
      files.set(to, need(from));
      files.delete(from);
    },
    async renameUnlessThere(from, to) {
      trouble('renameUnlessThere', from);
      if (files.has(to)) return false;
      files.set(to, need(from));
      files.delete(from);
      return true;
    },
    async gzip(from, to) {
      const { lines } = need(from);
      files.set(to, { lines: lines.slice(0, Math.floor(lines.length / 2)) });
      trouble('gzip', from);
      files.set(to, { lines: [...lines] });
    },
    write: ({ lines }, line) => void lines.push(line),
    open(path) {
      const file = files.get(path) ?? { lines: [] };
      files.set(path, file);
      return file;
    },
    lines: (prefix) =>
      [...files]
        .filter(([path]) => path.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([, { lines }]) => lines),
    paths: () => [...files.keys()].sort(),
  };
}
