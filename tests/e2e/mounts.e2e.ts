import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import { createNodeMounter, createVolumeNode, isMountPoint, makeRShared, undoRShared } from '@nodeagent/mount-utils';
import { isBoundOntoItself } from '@nodeagent/mount-utils/decisions';
import { createVolumePlugins } from '@nodeagent/volume-plugins/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.js';

const { signal } = new AbortController();
const mounter = createNodeMounter();

if (!mounter.canMount) {
  it('real mounts', (context) => {
    if (process.env.NODEAGENT_E2E === 'required') throw new Error('real mounts are required, but that needs root');
    console.log('skipped: real mounts, because they need root');
    context.skip();
  });
} else {
  describe('what a volume manager does on a real node', () => {
    let root: string;
    let node: ReturnType<typeof createVolumeNode>;
    beforeEach(() => {
      root = mkdtempSync(join(tmpdir(), 'nodeagent-mounts-'));
      node = createVolumeNode({ mounter, paths: volumePaths(root) });
    });
    afterEach(async () => {
      const left = (await mounter.list()).filter(({ mountPoint }) => mountPoint.startsWith(`${root}/`));
      for (const { mountPoint } of left.reverse()) await mounter.unmount(mountPoint);
      rmSync(root, { recursive: true });
      expect(left).toEqual([]);
    });

    /** Runs with a dedicated loop device over a file of 16 MiB. */
    async function withDevice(work: (device: string) => Promise<void>): Promise<void> {
      const image = join(root, 'image');
      await mounter.run('truncate', ['-s', '16M', image]);
      const { exitCode, stdout, stderr } = await mounter.run('losetup', ['-f', '--show', image]);
      if (exitCode !== 0) throw new Error(`losetup: ${stderr}`);
      try {
        await work(stdout.trim());
      } finally {
        await mounter.run('losetup', ['-d', stdout.trim()]);
      }
    }

    it('shares a folder by a bind onto itself, and takes that back once no other mount namespace shares it', async () => {
      // A mount that is not shared, whatever the machine's root is.
      await mounter.mount({ source: 'tmpfs', target: root, fsType: 'tmpfs' });
      await mounter.run('mount', ['--make-private', root]);
      const folder = join(root, 'agent');
      mkdirSync(folder);
      try {
        expect([await makeRShared(mounter, folder), await makeRShared(mounter, folder)]).toEqual([true, false]);
        expect([await isBoundOntoItself(mounter, folder), await isBoundOntoItself(mounter, root)]).toEqual([true, false]);
        const container = spawn('unshare', ['--mount', '--propagation', 'unchanged', 'sh', '-c', 'echo ready; exec sleep 60'], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        await once(container.stdout, 'data');
        expect(await undoRShared(mounter, folder)).toBe(false);
        container.kill();
        await once(container, 'exit');
        // Namespaces that other tests make meanwhile share it at first.
        await until('no other namespace to share it', () => undoRShared(mounter, folder));
        expect(await isMountPoint(mounter, folder)).toBe(false);
      } finally {
        for (const target of [folder, root]) await mounter.unmount(target);
      }
    });

    it('lists folders, and none as empty', async () => {
      mkdirSync(join(root, 'pods/u1'), { recursive: true });
      expect([await node.list(join(root, 'pods')), await node.list(join(root, 'none'))]).toEqual([['u1'], []]);
    });

    it('maps a device into a pod and holds it, once however often it is asked, and undoes that', async () => {
      await withDevice(async (devicePath) => {
        const mapping = { globalMapPath: join(root, 'global'), podUid: 'u1', podPath: join(root, 'pod'), podLink: 'data', signal };
        await node.mapBlockDevice({ ...mapping, devicePath });
        await node.mapBlockDevice({ ...mapping, devicePath });
        const bound = join(root, 'global/u1');
        expect(lstatSync(join(root, 'pod/data')).isSymbolicLink()).toBe(true);
        expect(statSync(join(root, 'pod/data')).rdev).toBe(statSync(devicePath).rdev);
        expect((await mounter.list()).filter(({ mountPoint }) => mountPoint === bound)).toHaveLength(1);
        expect(await node.blockRefs(join(root, 'global'))).toEqual([bound]);
        const loops = (await mounter.run('losetup', ['-j', bound])).stdout.trim().split('\n');
        expect(loops).toHaveLength(1);

        await node.unmapBlockDevice(mapping);
        await node.unmapBlockDevice(mapping);
        expect((await mounter.run('losetup', ['-j', bound])).stdout).toBe('');
        expect(await isMountPoint(mounter, bound)).toBe(false);
        // A restarted agent finds a device by its link, so the link is removed last.
        expect(lstatSync(join(root, 'pod/data')).isSymbolicLink()).toBe(true);
        await node.removeBlockLink(mapping);
        await node.removeBlockLink(mapping);
        expect(readdirSync(join(root, 'pod'))).toEqual([]);
        await node.removeMapPath(join(root, 'global'), signal);
        expect(existsSync(join(root, 'global'))).toBe(false);
      });
    });

    it('formats an empty device and mounts it, reports other mounts of it and whether it is in use', async () => {
      await withDevice(async (device) => {
        const spec = {
          persistentVolume: { metadata: { name: 'disk' }, spec: { local: { path: device, fsType: 'ext4' } } },
          readOnly: false,
        };
        const local = createVolumePlugins({ rootDir: root }).find((plugin) => plugin.canSupport(spec));
        const deviceMounter = local?.deviceMountable?.deviceMounter();
        const path = deviceMounter?.deviceMountPath(spec) ?? '';
        expect(path).toBe(join(root, 'plugins/kubernetes.io/local-volume/mounts/disk'));
        expect(await local?.deviceMountable?.canDeviceMount(spec)).toBe(true);
        expect(await node.isDeviceOpen(device)).toBe(false);
        await deviceMounter?.mountDevice(spec, '', path, { signal });
        await deviceMounter?.mountDevice(spec, '', path, { signal });
        expect(await node.isDeviceOpen(device)).toBe(true);

        const pod: Pod = { metadata: { name: 'p', namespace: 'default', uid: 'u1' }, spec: { containers: [] } };
        const volume = await local?.mounter(spec, pod);
        await volume?.setUp({ fsGroup: 2345, isRemount: false, reconstructed: false, signal });
        writeFileSync(join(volume?.path ?? '', 'file'), 'kept');
        expect(statSync(volume?.path ?? '').gid).toBe(2345);
        expect(await node.mountRefs(path)).toEqual([volume?.path]);
        await (await local?.unmounter('disk', 'u1'))?.tearDown(signal);
        expect(await node.mountRefs(path)).toEqual([]);
        await local?.deviceMountable?.deviceUnmounter().unmountDevice(path, signal);
        expect([existsSync(path), await node.isDeviceOpen(device)]).toEqual([false, false]);

        await deviceMounter?.mountDevice(spec, '', path, { signal });
        expect(readFileSync(join(path, 'file'), 'utf8')).toBe('kept');
        await local?.deviceMountable?.deviceUnmounter().unmountDevice(path, signal);
      });
    });

    it('bind-mounts a local folder, read-only if the pod requests it, and keeps its files at the unmount', async () => {
      const path = join(root, 'disk');
      mkdirSync(path);
      writeFileSync(join(path, 'file'), 'kept');
      chmodSync(join(path, 'file'), 0o600);
      const pod: Pod = { metadata: { name: 'p', namespace: 'default', uid: 'u1' }, spec: { containers: [] } };
      for (const readOnly of [false, true]) {
        const spec = { persistentVolume: { metadata: { name: 'disk' }, spec: { local: { path } } }, readOnly };
        const local = createVolumePlugins({ rootDir: root }).find((plugin) => plugin.canSupport(spec));
        const volume = await local?.mounter(spec, pod);
        await volume?.setUp({ fsGroup: 2345, isRemount: false, reconstructed: false, signal });
        const file = join(volume?.path ?? '', 'file');
        expect([readFileSync(file, 'utf8'), statSync(file).gid, statSync(file).mode & 0o777]).toEqual(['kept', 2345, 0o660]);
        if (readOnly) expect(() => writeFileSync(file, 'lost')).toThrow('EROFS');
        await (await local?.unmounter('disk', 'u1'))?.tearDown(signal);
        expect(existsSync(volume?.path ?? '')).toBe(false);
      }
      expect(readdirSync(path)).toEqual(['file']);
    });
  });
}
