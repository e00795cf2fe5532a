import type { VolumeUsage } from '@nodeagent/api';
import { fileSystemUsage } from '@nodeagent/api/files';
import { createFileSystemProbe, type FileSystemProbe } from '../mount/file-system-probe.js';
import { createNodeMounter } from '../mount/node-mounter.js';
import { countInThread, type DiskUsage, diskUsage } from './disk-usage.js';

/** Measures volumes. */
export interface VolumeMeter {
  /** Usage of a folder on a shared file system: used bytes and inodes are those of the folder's content. */
  folder(path: string, signal: AbortSignal): Promise<VolumeUsage>;
  /** Usage of the file system that is mounted on the path. Waits for a server that does not answer until the signal aborts. */
  fileSystem(path: string, signal: AbortSignal): Promise<VolumeUsage>;
}

export interface VolumeMeterOptions {
  /** Default: {@link createFileSystemProbe} of this machine. */
  fileSystems?: Pick<FileSystemProbe, 'usage'>;
}

/** Creates a {@link VolumeMeter}. It counts one large folder at a time, in a thread; small ones without. */
export function createVolumeMeter(options: VolumeMeterOptions = {}): VolumeMeter {
  const { fileSystems = createFileSystemProbe({ mounter: createNodeMounter() }) } = options;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (root: string, signal: AbortSignal): Promise<DiskUsage> => {
    const counting = last.then(() => countInThread(root, signal));
    last = counting.catch(() => {});
    return counting;
  };
  return {
    async folder(path, signal) {
      const { bytes, inodes } = await diskUsage(path, signal, inTurn);
      return { ...(await fileSystemUsage(path)), usedBytes: bytes, inodesUsed: inodes };
    },
    fileSystem: (path, signal) => fileSystems.usage(path, signal),
  };
}
