import { constants } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import type { HostPathFiles } from './host-path-check.js';

/** Without O_NONBLOCK a pipe that a pod puts there after the check would block one of Node's threads for files. */
const createFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** The files of this node. */
export const nodeHostPathFiles: HostPathFiles = {
  async kindOf(path) {
    const facts = await stat(path).catch(() => undefined);
    if (facts === undefined) return undefined;
    if (facts.isDirectory()) return 'directory';
    if (facts.isSocket()) return 'socket';
    if (facts.isCharacterDevice()) return 'charDevice';
    if (facts.isBlockDevice()) return 'blockDevice';
    return facts.isFIFO() ? 'fifo' : 'file';
  },
  makeFile: (path) => writeFile(path, '', { mode: 0o644, flag: createFlags }),
  makeDirectory: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o755 });
  },
};
