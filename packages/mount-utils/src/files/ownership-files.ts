import { chmod, chown, lchown, lstat } from 'node:fs/promises';
import { handlePath, walkTree } from '@nodeagent/api/files';
import { openPlace } from './safe-open.js';

/** The facts of a folder that decide whether its group must change. */
export interface VolumeRoot {
  kind: string;
  /** Unix mode bits. */
  mode: number;
  gid: number;
}

/** A file of a volume, valid during the call that receives it. */
export interface OwnedFile {
  kind: 'file' | 'directory' | 'symlink';
  /** Unix mode bits. */
  mode: number;
  /** Changes the group of the file itself, not of a link's target. */
  setGroup(gid: number): Promise<void>;
  /** Not for a symlink. */
  setMode(mode: number): Promise<void>;
}

/** The file operations of `setVolumeOwnership`. Default: those of the machine. */
export interface OwnershipFiles {
  /** Undefined if the root cannot be inspected. */
  root(path: string): Promise<VolumeRoot | undefined>;
  /** Visits all files of the volume, the content of a folder before the folder. */
  walk(root: string, visit: (file: OwnedFile) => Promise<void>, signal?: AbortSignal): Promise<void>;
}

/** The files of this machine. Each is changed by an open handle: a container that replaces a file by a link changes nothing outside the volume. */
export const machineOwnershipFiles: OwnershipFiles = {
  async root(path) {
    try {
      const facts = await lstat(path);
      return { kind: facts.isDirectory() ? 'directory' : 'file', mode: facts.mode, gid: facts.gid };
    } catch {
      return undefined;
    }
  },
  walk: (root, visit, signal) =>
    walkTree(root, async ({ place, kind }) => (kind === 'mount' ? undefined : withHandle(place, visit)), signal),
};

async function withHandle(place: string, visit: (file: OwnedFile) => Promise<void>): Promise<void> {
  const handle = await openPlace(place);
  try {
    const facts = await handle.stat();
    const own = handlePath(handle.fd);
    const kind = facts.isSymbolicLink() ? 'symlink' : facts.isDirectory() ? 'directory' : 'file';
    await visit({
      kind,
      mode: facts.mode,
      setGroup: (gid) => (kind === 'symlink' ? lchown(place, -1, gid) : chown(own, -1, gid)),
      setMode: (mode) => chmod(own, mode),
    });
  } finally {
    await handle.close();
  }
}
