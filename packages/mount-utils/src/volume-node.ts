import { constants } from 'node:fs';
import { mkdir, open, readdir, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlockMapping, Mounter, VolumeNode } from '@nodeagent/api';
import type { VolumePaths } from '@nodeagent/api/helpers';
import { makeDeviceLink, removeDeviceLink } from './files/device-link.js';
import { ignoreMissing, unlessMissing } from './files/unless-missing.js';
import { findMountRefs } from './mount/mount-info.js';
import { isMountPoint, mountPathOf } from './mount/mounter.js';
import { mountFailed } from './mount/node-mounter.js';
import { createSubPaths } from './sub-paths.js';

export interface VolumeNodeOptions {
  mounter: Mounter;
  paths: VolumePaths;
}

/** The node operations that a volume manager needs beside its plugins. */
export function createVolumeNode(options: VolumeNodeOptions): VolumeNode {
  const { mounter, paths } = options;
  const subPaths = createSubPaths({ mounter, paths });

  async function loopDeviceOf(path: string, signal?: AbortSignal): Promise<string | undefined> {
    const { stdout } = await mounter.run('losetup', ['-j', path], signal);
    return stdout.split(':')[0]?.trim() || undefined;
  }

  const globalTarget = ({ globalMapPath, podUid }: BlockMapping) => join(globalMapPath, podUid);

  const linkOf = ({ podPath, podLink }: BlockMapping) => join(podPath, podLink);

  return {
    async list(path) {
      return unlessMissing(readdir(path), []);
    },
    cleanSubPaths: (podUid, specName, signal) => subPaths.clean(podUid, specName, signal),
    async mountRefs(path) {
      const target = await mountPathOf(path);
      return findMountRefs(target, await mounter.list()).filter((ref) => ref !== target);
    },
    async isDeviceOpen(path) {
      const device = await unlessMissing(stat(path), undefined);
      if (!device?.isBlockDevice()) return false;
      try {
        // The kernel opens a block device exclusively only if it is not mounted and not open exclusively elsewhere.
        await (await open(path, openExclusive)).close();
        return false;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EBUSY') return true;
        throw error;
      }
    },
    async mapBlockDevice({ devicePath, signal, ...mapping }) {
      await makeDeviceLink(linkOf(mapping), devicePath);
      const target = globalTarget(mapping);
      await mkdir(mapping.globalMapPath, { recursive: true, mode: 0o750 });
      if (!(await isMountPoint(mounter, target))) {
        await writeFile(target, '', { mode: 0o640, flag: 'a' });
        await mounter.mount({ source: devicePath, target, options: ['bind'] }, signal);
      }
      if ((await loopDeviceOf(target, signal)) !== undefined) return;
      const attached = await mounter.run('losetup', ['-f', target], signal);
      if (attached.exitCode !== 0) throw mountFailed(`losetup ${target}`, attached);
    },
    async unmapBlockDevice({ signal, ...mapping }) {
      const target = globalTarget(mapping);
      const loop = await loopDeviceOf(target, signal);
      if (loop !== undefined) {
        const detached = await mounter.run('losetup', ['-d', loop], signal);
        if (detached.exitCode !== 0) throw mountFailed(`losetup -d ${loop}`, detached);
      }
      while (await isMountPoint(mounter, target)) await mounter.unmount(target, signal);
      await unlink(target).catch(ignoreMissing);
    },
    removeBlockLink: (mapping) => removeDeviceLink(linkOf(mapping)),
    async removeMapPath(path) {
      await rmdir(path).catch(ignoreMissing);
    },
    async blockRefs(globalMapPath) {
      const names = await unlessMissing(readdir(globalMapPath), []);
      return names.map((name) => join(globalMapPath, name));
    },
  };
}

const openExclusive = constants.O_RDONLY | constants.O_EXCL;
