import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { access, mkdir, readdir, realpath, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';
import { createFileCall, removeSmallTree } from '@nodeagent/api/files';
import { checkedPodUid, type PodDirs } from '../host/pod-dirs.js';

/** Pod directories on disk. `mountPoints` returns at least the mount points whose paths contain a text; default: those of the process. */
export function createPodDirs(rootDir: string, mountPoints: (text: string) => string[] = processMountPoints): PodDirs {
  const pods = join(rootDir, 'pods');
  const podDir = (uid: string) => join(pods, checkedPodUid(uid));
  const call = createFileCall();
  const exists = (path: string) =>
    call(
      () => existsSync(path),
      () =>
        access(path).then(
          () => true,
          () => false,
        ),
    );
  const createFolder = (path: string) =>
    call(
      () => mkdirSync(path, { mode: 0o750 }),
      () => mkdir(path, { mode: 0o750 }),
    );
  return {
    podDir,
    async create(uid) {
      const dir = podDir(uid);
      const last = join(dir, 'plugins');
      // Each sync calls this, and most often all exist.
      if (await exists(last)) return;
      for (const folder of [dir, join(dir, 'volumes'), last]) await makeFolder(folder, createFolder);
    },
    async list() {
      try {
        return await readdir(pods);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return [];
        throw error;
      }
    },
    async remove(uid) {
      const dir = podDir(uid);
      const volumes = join(dir, 'volumes');
      const mountedAs = await realpath(dir).catch(() => dir);
      if (mountPoints(uid).some((path) => path === mountedAs || path.startsWith(`${mountedAs}/`))) return false;
      try {
        for (const plugin of await readdir(volumes)) {
          for (const volume of await readdir(join(volumes, plugin))) await rmdir(join(volumes, plugin, volume));
          await rmdir(join(volumes, plugin));
        }
      } catch (error) {
        const code = errorCode(error);
        if (code === 'ENOTEMPTY' || code === 'ENOTDIR' || code === 'EBUSY') return false;
        if (code !== 'ENOENT') throw error;
      }
      await removeSmallTree(dir, call);
      return true;
    },
  };
}

/** Usually only the folder itself is missing: one call then, where a recursive `mkdir` takes two if it exists. */
async function makeFolder(path: string, create: (path: string) => Promise<void>): Promise<void> {
  try {
    await create(path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    if (errorCode(error) !== 'ENOENT') throw error;
    await mkdir(path, { recursive: true, mode: 0o750 });
  }
}

/** The mount points in `/proc/self/mountinfo` whose lines contain the text; empty where the file does not exist. */
function processMountPoints(text: string): string[] {
  try {
    // Not from a disk, so it is read at once.
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return parseMountPoints(lines.filter((line) => line.includes(text)).join('\n'));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return [];
  }
}

/** The fifth field of each line, unescaped. See proc(5). */
export function parseMountPoints(mountInfo: string): string[] {
  return mountInfo
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((path) => path !== '')
    .map((path) => path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))));
}
