import { constants } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { type HostPathVolumeSource, NodeAgentError } from '@nodeagent/api';
import { hasBackstep } from '@nodeagent/api/helpers';
import { volumePluginsErrorCodes } from '../errors.js';

export type FileKind = 'file' | 'directory' | 'socket' | 'charDevice' | 'blockDevice' | 'fifo';

/** File operations for checking a host path. */
export interface HostPathFiles {
  /** The kind of the path, links followed; undefined if it does not exist or cannot be inspected. */
  kindOf(path: string): Promise<FileKind | undefined>;
  /** Creates an empty file of mode 0644; its folder must exist. */
  makeFile(path: string): Promise<void>;
  /** Creates a folder and its parents, of mode 0755. */
  makeDirectory(path: string): Promise<void>;
}

/**
 * Checks that a host path is of its type, and creates it for the types `DirectoryOrCreate` and `FileOrCreate`. Rejects with
 * `HostPathTypeCheckFailed`. Kubernetes documentation, "Volumes: hostPath".
 */
export async function checkHostPath({ path, type = '' }: HostPathVolumeSource, files: HostPathFiles): Promise<void> {
  if (hasBackstep(path)) throw failed(`invalid HostPath \`${path}\`: must not contain '..'`);
  if (type === '') return;
  const kind = await files.kindOf(path);
  const require = (isRight: boolean, what: string) => {
    if (!isRight) throw failed(`hostPath type check failed: ${path} is not ${what}`);
  };
  switch (type) {
    case 'DirectoryOrCreate':
      if (kind === undefined) return files.makeDirectory(path);
      return require(kind === 'directory', 'a directory');
    case 'Directory':
      return require(kind === 'directory', 'a directory');
    case 'FileOrCreate':
      if (kind === undefined) return files.makeFile(path);
      return require(kind === 'file', 'a file');
    case 'File':
      return require(kind === 'file', 'a file');
    case 'Socket':
      return require(kind === 'socket', 'a socket file');
    case 'CharDevice':
      return require(kind === 'charDevice', 'a character device');
    case 'BlockDevice':
      return require(kind === 'blockDevice', 'a block device');
    default:
      throw failed(`${type} is an invalid volume type`);
  }
}

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

function failed(message: string): NodeAgentError {
  return new NodeAgentError(volumePluginsErrorCodes.hostPathCheck, message, { retryable: true });
}
