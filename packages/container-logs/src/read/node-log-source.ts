import { watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { errorCode } from '@nodeagent/api';
import { openRegularFile, type RegularFile } from '@nodeagent/api/files';
import type { LogSource } from './log-source.js';

/** The node's file system; folders are watched through inotify. */
export const nodeLogSource: LogSource = {
  resolve: (path) => realpath(path),
  async open(path) {
    let file: RegularFile;
    try {
      file = await openRegularFile(path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const { dev, ino } = await file.stat({ bigint: true });
      return {
        id: `${dev}:${ino}`,
        size: async () => (await file.stat()).size,
        read: async (target, position) => (await file.read(target, 0, target.length, position)).bytesRead,
        allocate: Buffer.allocUnsafe,
        close: () => file.close(),
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  },
  watch(folder, onEvent, onError) {
    const watcher = watch(folder, (type, name) => onEvent(type === 'change' ? 'changed' : 'renamed', name ?? undefined));
    watcher.on('error', onError);
    return { close: () => watcher.close() };
  },
};
