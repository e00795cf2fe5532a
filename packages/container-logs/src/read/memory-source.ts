import type { LogFolderListener, LogSource } from './log-source.js';

/** For this package's tests: a folder of logs in memory. Open files can still be read and written after a rename or removal. */
export interface MemorySource extends LogSource {
  /** Creates a file, replacing an existing one, and returns a function that appends to it. */
  create(path: string): (text: string) => void;
  rename(from: string, to: string): void;
  /** Ends all watches with an error. */
  breakWatches(error: Error): void;
  readonly openFiles: number;
  readonly openWatches: number;
  readonly reads: number;
}

/** `injectFault` is called before each operation; what it throws fails the operation. */
export function createMemorySource(injectFault: (operation: 'resolve' | 'open' | 'read' | 'watch') => void = () => {}): MemorySource {
  const files = new Map<string, { id: string; content: Buffer }>();
  const watches = new Set<{ onEvent: LogFolderListener; onError(error: unknown): void }>();
  const notify = (event: 'changed' | 'renamed', path: string) => {
    for (const { onEvent } of [...watches]) onEvent(event, path.slice(path.lastIndexOf('/') + 1));
  };
  let made = 0;
  let openFiles = 0;
  let reads = 0;
  return {
    get openFiles() {
      return openFiles;
    },
    get openWatches() {
      return watches.size;
    },
    get reads() {
      return reads;
    },
    create(path) {
      const file = { id: `file-${made++}`, content: Buffer.alloc(0) };
      files.set(path, file);
      notify('renamed', path);
      return (text) => {
        file.content = Buffer.concat([file.content, Buffer.from(text)]);
        notify('changed', [...files].find(([, each]) => each === file)?.[0] ?? path);
      };
    },
    rename(from, to) {
      const file = files.get(from);
      if (file === undefined) throw new Error(`no file ${from}`);
      files.delete(from);
      files.set(to, file);
      notify('renamed', from);
      notify('renamed', to);
    },
    breakWatches(error) {
      for (const { onError } of [...watches]) onError(error);
    },
    async resolve(path) {
      injectFault('resolve');
      return path;
    },
    async open(path) {
      injectFault('open');
      const file = files.get(path);
      if (file === undefined) return undefined;
      openFiles++;
      return {
        id: file.id,
        size: async () => file.content.length,
        async read(target, position) {
          injectFault('read');
          reads++;
          return file.content.copy(target, 0, position, position + target.length);
        },
        async close() {
          openFiles--;
        },
      };
    },
    watch(_folder, onEvent, onError) {
      injectFault('watch');
      const watch = { onEvent, onError };
      watches.add(watch);
      return { close: () => void watches.delete(watch) };
    },
  };
}
