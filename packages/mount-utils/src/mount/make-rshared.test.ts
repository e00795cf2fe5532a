import type { MountInfo } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createFakeMounter } from './fake-mounter.js';
import { isBoundOntoItself, makeRShared, undoRShared } from './make-rshared.js';

const folder = '/proc/self';
const path = `/proc/${process.pid}`;

const mountOn = (mountPoint: string, optionalFields: string[] = []): MountInfo => ({
  ...{ id: 1, parentId: 0, major: 8, minor: 1, root: '/', mountPoint, options: ['rw'], optionalFields },
  ...{ fsType: 'ext4', source: '/dev/sda1', superOptions: [] },
});

it('binds a folder on a private mount onto itself, makes it shared, and unmounts it again', async () => {
  const mounter = createFakeMounter({ mounts: [mountOn('/')] });
  expect(await makeRShared(mounter, folder)).toBe(true);
  expect(mounter.calls).toEqual([`mount -o bind ${path} ${path}`, `mount --make-rshared ${path}`]);
  expect(await makeRShared(mounter, folder)).toBe(false);
  await mounter.mount({ source: 'tmpfs', target: `${path}/pods` });
  expect(await undoRShared(mounter, folder, async () => false)).toBe(false);
  expect(mounter.calls).not.toContain(`umount --lazy ${path}`);
  await mounter.unmount(`${path}/pods`);
  expect(await undoRShared(mounter, folder, async (group) => group === 1)).toBe(false);
  expect(await isBoundOntoItself(mounter, folder)).toBe(true);
  expect(await undoRShared(mounter, folder, async () => false)).toBe(true);
  expect(await isBoundOntoItself(mounter, folder)).toBe(false);
  expect(mounter.calls.at(-1)).toBe(`umount --lazy ${path}`);
});

it('does not change a folder on a shared mount, or for an agent that cannot mount', async () => {
  const shared = createFakeMounter({ mounts: [mountOn('/', ['shared:1'])] });
  expect(await makeRShared(shared, folder)).toBe(false);
  const powerless = createFakeMounter({ canMount: false, mounts: [mountOn('/')] });
  expect(await makeRShared(powerless, folder)).toBe(false);
  expect([...shared.calls, ...powerless.calls]).toEqual([]);
});

it('never hides mounts below, and reports a failure', async () => {
  const used = createFakeMounter({ mounts: [mountOn('/'), mountOn(`${path}/pods/u1`)] });
  await expect(makeRShared(used, folder)).rejects.toThrow(`make ${path} shared failed: exit status 1: ${path}/pods/u1 is mounted already`);
  expect(used.calls).toEqual([]);
  const refused = createFakeMounter({ mounts: [mountOn('/')] });
  refused.answer = () => ({ exitCode: 32, stdout: '', stderr: 'permission denied' });
  await expect(makeRShared(refused, folder)).rejects.toThrow('permission denied');
});

it.each<[string, MountInfo[], boolean]>([
  ['bound onto itself', [mountOn('/'), { ...mountOn(path), id: 2, parentId: 1, root: path }], true],
  ['another folder', [mountOn('/'), { ...mountOn(path), id: 2, parentId: 1, root: '/other' }], false],
  ['another disk', [mountOn('/'), { ...mountOn(path), id: 2, parentId: 1, root: path, minor: 2 }], false],
  [
    'bound onto itself on a disk',
    [mountOn('/'), { ...mountOn('/proc'), id: 2, minor: 2 }, { ...mountOn(path), id: 3, parentId: 2, minor: 2, root: `/${process.pid}` }],
    true,
  ],
  ['no mount', [mountOn('/')], false],
])('detects whether the folder is bound onto itself: %s', async (_, mounts, expected) => {
  expect(await isBoundOntoItself(createFakeMounter({ mounts }), folder)).toBe(expected);
});
