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

function failed(message: string): NodeAgentError {
  return new NodeAgentError(volumePluginsErrorCodes.hostPathCheck, message, { retryable: true });
}
