import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mounter, PersistentVolume, Pod, VolumeSpec } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { createFakeMounter } from '@nodeagent/mount-utils';
import { resizeCommand } from '@nodeagent/mount-utils/decisions';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createVolumePlugins } from './create-plugins.js';

const { signal } = new AbortController();
const pod: Pod = { metadata: { name: 'web', namespace: 'shop', uid: 'u1' }, spec: { containers: [] } };
const once = { isRemount: false, reconstructed: false, signal };

function setUp() {
  const rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-bound-'));
  onTestFinished(() => rmSync(rootDir, { recursive: true, force: true }));
  const mounter = createFakeMounter();
  const plugins = createVolumePlugins({ rootDir, mounter });
  const mount = async (spec: VolumeSpec, options = {}) => {
    const plugin = plugins.find((each) => each.canSupport(spec));
    if (plugin === undefined) throw new Error('no plugin');
    const volume = await plugin.mounter(spec, pod);
    await volume.setUp({ ...once, ...options });
    const unmount = async (name: string) => (await plugin.unmounter(name, 'u1')).tearDown(signal);
    return { path: volume.path, plugin, attributes: volume.attributes, unmount };
  };
  return { rootDir, mounter, mount };
}

const persistent = (source: PersistentVolume['spec']): PersistentVolume => ({ metadata: { name: 'pv' }, spec: source });

it.each([
  ['192.0.2.7', '-t nfs 192.0.2.7:/export'],
  ['2001:db8::7', '-t nfs [2001:db8::7]:/export'],
])('nfs is mounted from %s by mount(8), once, and unmounted without touching its files', async (server, args) => {
  const { mounter, mount, rootDir } = setUp();
  const spec = { volume: { name: 'share', nfs: { server, path: '/export' } }, readOnly: false };
  const { path, attributes, unmount } = await mount(spec, { fsGroup: 2000 });
  await mount(spec);
  expect(path).toBe(join(rootDir, 'pods/u1/volumes/kubernetes.io~nfs/share'));
  expect(attributes).toEqual({ readOnly: false, managed: false, seLinuxRelabel: false });
  await unmount('share');
  expect(mounter.calls).toEqual([`mount ${args} ${path}`, `unmount ${path}`]);
  expect(existsSync(path)).toBe(false);
});

it("mounts an nfs volume with its mount options, and ro if the volume or the claim's source is read-only", async () => {
  const { mounter, mount } = setUp();
  const nfs = { server: 'files', path: '/export', readOnly: true };
  const { path } = await mount({ persistentVolume: persistent({ nfs, mountOptions: ['nfsvers=4.1', 'hard'] }), readOnly: false });
  expect(mounter.calls).toHaveLength(1);
  const [call = ''] = mounter.calls;
  expect(call).toMatch(/^mount -t nfs -o [\w.,=]+ files:\/export /);
  expect(call.split(' ')[4]?.split(',').sort()).toEqual(['hard', 'nfsvers=4.1', 'ro']);
  expect(call.endsWith(path)).toBe(true);
});

it('forces the unmount of an nfs volume whose server is lost, after a minute, and ends the call for its usage before', async () => {
  const rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-bound-'));
  onTestFinished(() => rmSync(rootDir, { recursive: true, force: true }));
  const clock = createVirtualClock();
  const mounter = createFakeMounter();
  const calls: string[] = [];
  const hang = (call: string, own?: AbortSignal) => {
    calls.push(call);
    return new Promise<never>((_, reject) => own?.addEventListener('abort', () => reject(new Error(`${call} ended`))));
  };
  const run: Mounter['run'] = async (command, args, own) => {
    if (command === 'stat') return hang('stat', own);
    calls.push([command, ...args].join(' '));
    return mounter.run(command, args, own);
  };
  const lost: Mounter = { ...mounter, run, unmount: (_target, own) => hang('unmount', own) };
  const plugin = createVolumePlugins({ rootDir, mounter: lost, clock }).find(({ name }) => name === 'kubernetes.io/nfs');
  const spec = { volume: { name: 'share', nfs: { server: 'files', path: '/export' } }, readOnly: false };
  const volume = await plugin?.mounter(spec, pod);
  await volume?.setUp(once);
  const usage = volume?.usage?.(signal) ?? Promise.resolve();
  await expect.poll(() => calls).toEqual(['stat']);

  const tearDown = (await plugin?.unmounter('share', 'u1'))?.tearDown(signal);
  await expect(usage).rejects.toThrow('stat ended');
  await expect.poll(() => calls).toEqual(['stat', 'unmount']);
  await clock.advance(60_000);
  await tearDown;
  expect(calls).toEqual(['stat', 'unmount', `umount -f ${volume?.path}`]);
  expect(existsSync(volume?.path ?? '')).toBe(false);
});

it('does not prepare a host path whose file system does not answer', async () => {
  const clock = createVirtualClock();
  const place = { root: '/', mountPoint: '/net', fsType: 'nfs4', source: 'files:/export' };
  const mount = { id: 7, parentId: 1, major: 0, minor: 40, options: [], optionalFields: [], superOptions: [], ...place };
  const mounter: Mounter = { ...createFakeMounter({ mounts: [mount] }), run: () => new Promise(() => {}) };
  const plugin = createVolumePlugins({ rootDir: '/agent', mounter, clock }).find(({ name }) => name === 'kubernetes.io/host-path');
  const setUpOf = async (path: string) =>
    (await plugin?.mounter({ volume: { name: 'data', hostPath: { path, type: 'Directory' } }, readOnly: false }, pod))?.setUp(once);
  const failed = expect(setUpOf('/net/data/')).rejects.toMatchObject({ code: 'FileSystemHangs', retryable: true });
  await clock.advance(5_000);
  await failed;
  await setUpOf('/');
});

it('bind-mounts a local folder; a failed mount leaves no folder', async () => {
  const { mounter, mount, rootDir } = setUp();
  const source = join(rootDir, 'disk');
  mkdirSync(source);
  const spec = { persistentVolume: persistent({ local: { path: source } }), readOnly: true };
  mounter.fail = () => new Error('mount failed: exit status 32');
  await expect(mount(spec)).rejects.toThrow('exit status 32');
  const path = join(rootDir, 'pods/u1/volumes/kubernetes.io~local-volume/pv');
  expect(existsSync(path)).toBe(false);
  mounter.fail = undefined;
  const { plugin } = await mount(spec);
  expect(mounter.calls.at(-1)).toBe(`mount -o bind,ro ${source} ${path}`);
  expect(await plugin.deviceMountable?.canDeviceMount(spec)).toBe(false);
});

it.each([
  ['iscsi', { iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2026-01.com.example:disk', lun: 3 } }],
  ['fc', { fc: { targetWWNs: ['500a0982991b8dc5'], lun: 2 } }],
])('an %s volume that a restart finds has the name that it was mounted by, whether a pod has it or not', async (_, source) => {
  const { mount, mounter, rootDir } = setUp();
  const spec = { persistentVolume: persistent(source), readOnly: false };
  mounter.answer = () => ({ exitCode: 0, stdout: 'TYPE=ext4', stderr: '' });
  const { deviceMountable, volumeName, constructVolumeSpec } = (await mount(spec)).plugin;
  const devicePath = deviceMountable?.deviceMounter().deviceMountPath(spec) ?? '';
  const path = join(rootDir, 'pods/u2/volumes', 'pv');
  await expect(constructVolumeSpec('pv', path)).rejects.toThrow('no device is mounted');

  await deviceMountable?.deviceMounter().mountDevice(spec, '', devicePath, { signal });
  await mounter.mount({ source: devicePath, target: path, options: ['bind'] });
  expect(volumeName(await constructVolumeSpec('pv', path))).toBe(volumeName(spec));
  mkdirSync(join(devicePath, '../partial'));
  expect((await deviceMountable?.findDevices?.())?.map(volumeName)).toEqual([volumeName(spec)]);
  expect(existsSync(join(devicePath, '../partial'))).toBe(false);
});

it('leaves no folder if the device cannot be mounted', async () => {
  const { mount, mounter } = setUp();
  const spec = { persistentVolume: persistent({ fc: { targetWWNs: ['5'], lun: 0 } }), readOnly: false };
  const { deviceMountable } = (await mount(spec)).plugin;
  const path = deviceMountable?.deviceMounter().deviceMountPath(spec) ?? '';
  mounter.answer = () => ({ exitCode: 8, stdout: '', stderr: 'no such device' });
  await expect(deviceMountable?.deviceMounter().mountDevice(spec, '', path, { signal })).rejects.toThrow('no such device');
  expect(existsSync(path)).toBe(false);
});

it.each([
  ['ext4', 'resize2fs /dev/sdb'],
  ['xfs', 'xfs_growfs -d /mnt'],
  ['btrfs', 'btrfs filesystem resize max /mnt'],
])('a file system of format %s grows by %s', (format, command) => {
  expect(resizeCommand(format, '/dev/sdb', '/mnt').join(' ')).toBe(command);
});

it('rejects the expansion of an unknown file system, and does not expand a local folder', async () => {
  expect(() => resizeCommand('ntfs', '/dev/sdb', '/mnt')).toThrow(
    'resize of format ntfs is not supported for device /dev/sdb mounted at /mnt',
  );
  const { mount, mounter, rootDir } = setUp();
  const spec = { persistentVolume: persistent({ local: { path: rootDir } }), readOnly: false };
  const { plugin } = await mount(spec);
  const sizes = { newSize: Quantity.parse('2Gi'), oldSize: Quantity.parse('1Gi') };
  const paths = { devicePath: '', deviceMountPath: '/mnt', deviceStagePath: '' };
  expect(await plugin.expandable?.nodeExpand({ spec, ...sizes, ...paths, signal })).toBe(true);
  expect(mounter.calls.filter((call) => !call.startsWith('mount'))).toEqual([]);
});
