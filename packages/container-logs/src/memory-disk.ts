import type { LogFiles } from './log-files.js';

/** For this package's tests: files in memory. A writer keeps writing to a file that was renamed, as on a real disk. */
export interface MemoryDisk extends LogFiles {
  /** Appends to the open file. */
  write(handle: MemoryFile, line: string): void;
  /** Opens a file for appending; creates it if it is missing. */
  open(path: string): MemoryFile;
  /** All lines of all files whose paths start with `prefix`, in the order of the names. */
  lines(prefix: string): string[];
  paths(): string[];
}

export interface MemoryFile {
  lines: string[];
}

/** `injectFault` is called before each operation; what it throws fails the operation. */
export function createMemoryDisk(injectFault: (operation: string, path: string) => void = () => {}): MemoryDisk {
  const files = new Map<string, MemoryFile>();
  const need = (path: string): MemoryFile => {
    const file = files.get(path);
    if (file === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    return file;
  };
  const sizeOf = ({ lines }: MemoryFile) => lines.reduce((sum, line) => sum + line.length + 1, 0);
  return {
    async size(path) {
      injectFault('size', path);
      const file = files.get(path);
      return file && sizeOf(file);
    },
    async list(folder) {
      injectFault('list', folder);
      return [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
    },
    async remove(path) {
      injectFault('remove', path);
      files.delete(path);
    },
    async rename(from, to) {
      injectFault('rename', from);
      files.set(to, need(from));
      files.delete(from);
    },
    async renameUnlessExists(from, to) {
      injectFault('renameUnlessExists', from);
      if (files.has(to)) return false;
      files.set(to, need(from));
      files.delete(from);
      return true;
    },
    async gzip(from, to) {
      const { lines } = need(from);
      files.set(to, { lines: lines.slice(0, Math.floor(lines.length / 2)) });
      injectFault('gzip', from);
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
