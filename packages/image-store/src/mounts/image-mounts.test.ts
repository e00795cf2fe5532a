import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { chmod, lchown } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { createFakeMounter, createNodeMounter } from '@nodeagent/mount-utils';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImageMounts, type MountOptions, openImageMounts } from './image-mounts.js';
import { overlayFolder } from './test-overlay-folder.js';

const { signal } = new AbortController();
const mounter = createNodeMounter();

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(overlayFolder ?? tmpdir(), 'image:mounts, -'));
  root = join(folder, 'store');
  mkdirSync(root);
});
afterEach(() => {
  for (const line of mountsBelow(folder).reverse()) execFileSync('umount', ['--lazy', line]);
  rmSync(folder, { recursive: true });
});

const mountsBelow = (path: string) =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4]?.replaceAll('\\040', ' ') ?? [])
    .filter((mountPoint) => mountPoint.startsWith(path));

const open = (own = mounter) => openImageMounts({ root, mounter: own, clock: systemClock });

/** A folder with files. */
function layer(name: string, files: Record<string, string>): string {
  const path = join(folder, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(path, file, '..'), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  return path;
}

describe.runIf(overlayFolder)('mounts of images', () => {
  const twoLayers = () => ({
    image: 'sha256:1',
    folders: [layer('top', { 'etc/conf': 'new', 'etc/more': 'more' }), layer('base', { 'etc/conf': 'old', 'bin/run': 'run' })],
  });

  it('shows the layers, and keeps what a container writes apart from them', async () => {
    const mounts = await open();
    const tree = twoLayers();
    const { path, isMounted } = await mounts.mount(tree, { key: 'c1', isWritable: true });
    expect(isMounted).toBe(true);
    expect(readFileSync(join(path, 'etc/conf'), 'utf8')).toBe('new');
    expect(readFileSync(join(path, 'bin/run'), 'utf8')).toBe('run');
    const before = await mounts.snapshotUsage('c1', signal);
    writeFileSync(join(path, 'bin/run'), Buffer.alloc(100_000));
    expect(readFileSync(join(tree.folders[1] ?? '', 'bin/run'), 'utf8')).toBe('run');
    const { usedBytes, inodesUsed } = await mounts.snapshotUsage('c1', signal);
    expect(usedBytes - before.usedBytes).toBeGreaterThanOrEqual(100_000n);
    expect(inodesUsed - before.inodesUsed).toBe(2n);
    expect(mounts.foldersInUse()).toEqual(new Set(tree.folders));
    await mounts.removeMount('c1');
    expect(readdirSync(join(root, 'mounts'))).toEqual([]);
    expect([mountsBelow(root), mounts.foldersInUse().size]).toEqual([[], 0]);
  });

  it('mounts the same again, and refuses another tree of the same key', async () => {
    const mounts = await open();
    const tree = twoLayers();
    const options: MountOptions = { key: 'c1', isWritable: true };
    const { path } = await mounts.mount(tree, options);
    writeFileSync(join(path, 'note'), 'kept');
    await mounts.mount(tree, options);
    expect(mountsBelow(root)).toHaveLength(1);
    await expect(mounts.mount({ ...tree, folders: tree.folders.slice(1) }, options)).rejects.toMatchObject({ code: 'MountConflict' });
    await mounts.unmount('c1');
    expect(await mounts.listMounts()).toMatchObject([{ key: 'c1', isMounted: false, isWritable: true, image: 'sha256:1' }]);
    await mounts.mount(tree, options);
    expect(readFileSync(join(path, 'note'), 'utf8')).toBe('kept');
  });

  it('mounts an image of one layer read-only at a target, or a part of it', async () => {
    const mounts = await open();
    const base = layer('base', { 'data/sub/file': 'here', 'etc/hosts': 'image' });
    symlinkSync('/data/../data/sub', join(base, 'absolute'));
    symlinkSync('../../../../etc', join(base, 'data/up'));
    const target = layer('target', {});
    mkdirSync(target);
    const whole = await mounts.mount({ image: 'a', folders: [base] }, { key: 'whole', target });
    expect(readFileSync(join(whole.path, 'data/sub/file'), 'utf8')).toBe('here');
    expect(() => writeFileSync(join(target, 'new'), '')).toThrow('EROFS');
    await mounts.removeMount('whole');
    expect(readdirSync(target)).toEqual([]);
    await mounts.mount({ image: 'a', folders: [base] }, { key: 'part', target, subPath: 'absolute' });
    expect(readdirSync(target)).toEqual(['file']);
    const { path } = await mounts.mount({ image: 'a', folders: [base] }, { key: 'inside', subPath: 'data/up/hosts' });
    expect(readFileSync(path, 'utf8')).toBe('image');
    await mounts.removeMount('part');
    await expect(mounts.mount({ image: 'a', folders: [base] }, { key: 'none', target, subPath: '../absent' })).rejects.toMatchObject({
      code: 'InvalidImageSubPath',
    });
    await expect(mounts.mount({ image: 'a', folders: [base] }, { key: 'none', subPath: 'absent' })).rejects.toThrow(
      'the image has no path "absent": ENOENT',
    );
    expect(readdirSync(join(root, 'mounts'))).toEqual(['inside']);
    await mounts.unmount('inside');
    expect(await mounts.listMounts()).toMatchObject([{ key: 'inside', isMounted: false }]);
  });

  it('removes what a damaged record names, and nothing else', async () => {
    const outside = layer('outside', { file: 'kept' });
    const records: Record<string, unknown> = {
      folders: [1],
      target: ['/'],
      subPath: 5,
      idMappings: { uids: 'all', gids: [] },
      selinuxContext: 'a",upperdir=/etc',
      isWritable: 'yes',
      image: {},
      shiftedTree: '../../outside',
    };
    for (const [field, value] of Object.entries(records)) {
      mkdirSync(join(root, 'mounts', field), { recursive: true });
      writeFileSync(
        join(root, 'mounts', field, 'mount.json'),
        JSON.stringify({ version: 1, folders: [outside], isWritable: false, [field]: value }),
      );
    }
    mkdirSync(join(root, 'mounts', 'no-file', 'mount.json'), { recursive: true });
    writeFileSync(join(root, 'mounts', 'no-folder'), '');
    symlinkSync(outside, join(root, 'mounts', 'link'));
    const mounts = await open();
    expect(await mounts.listMounts()).toEqual([]);
    expect(readdirSync(join(root, 'mounts'))).toEqual([]);
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('kept');
  });

  it('gives users of the machine no rights by programs of an image at a target', async () => {
    const mounts = await open();
    const base = layer('base', { file: '' });
    copyFileSync('/usr/bin/id', join(base, 'id'));
    await chmod(join(base, 'id'), 0o4755);
    const target = layer('target', {});
    mkdirSync(target);
    await chmod(folder, 0o755);
    await mounts.mount({ image: 'a', folders: [base] }, { key: 'public', target });
    expect(execFileSync(join(target, 'id'), ['-u'], { uid: 65_534, gid: 65_534 }).toString()).toBe('65534\n');
    const line = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .find((text) => text.includes('/target '));
    expect(line).toContain(' ro,nosuid,nodev,');
  });

  it('refuses a target that is a link or a file, and keys that lead elsewhere', async () => {
    const mounts = await open();
    const tree = twoLayers();
    symlinkSync('/mnt', join(folder, 'link'));
    writeFileSync(join(folder, 'file'), '');
    for (const name of ['link', 'file'])
      await expect(mounts.mount(tree, { key: name, target: join(folder, name) })).rejects.toMatchObject({ code: 'InvalidMountTarget' });
    for (const key of ['', '..', 'a/b', '-o'])
      for (const call of [() => mounts.mount(tree, { key }), () => mounts.removeMount(key)])
        await expect(call()).rejects.toMatchObject({ code: 'InvalidOption', details: { field: 'key' } });
    expect([mountsBelow(root), readdirSync(join(root, 'mounts'))]).toEqual([[], []]);
  });

  it('mounts 127 layers of long names', async () => {
    const mounts = await open();
    const folders = Array.from({ length: 127 }, (_, index) => layer(`${'x'.repeat(200)}-${index}`, { [`file-${index}`]: '' }));
    const { path } = await mounts.mount({ image: 'a', folders }, { key: 'deep', isWritable: true });
    expect(readdirSync(path)).toHaveLength(127);
  });

  it('mounts the root of the machine below a writable layer', async () => {
    const mounts = await open();
    const { path } = await mounts.mount({ folders: ['/'] }, { key: 'host', isWritable: true });
    expect(readdirSync(path)).toEqual(expect.arrayContaining(['etc', 'proc', 'usr']));
    expect(readdirSync(join(path, 'proc'))).not.toContain('self');
    writeFileSync(join(path, 'image-mounts-test'), '');
    expect(existsSync('/image-mounts-test')).toBe(false);
  });

  it('shows the root of the machine read-only', async () => {
    const mounts = await open();
    const { path } = await mounts.mount({ folders: ['/'] }, { key: 'host' });
    expect(readFileSync(join(path, 'etc/passwd'), 'utf8')).toBe(readFileSync('/etc/passwd', 'utf8'));
    expect(lstatSync(path).mode).toBe(lstatSync('/').mode);
    expect(() => writeFileSync(join(path, 'image-mounts-test'), '')).toThrow('EROFS');
  });

  it('shows the root of the machine with the owners of a user namespace', async () => {
    const mounts = await open();
    const ids = [{ hostId: 300_000, containerId: 0, length: 65_536 }];
    const { path } = await mounts.mount({ folders: ['/'] }, { key: 'host', isWritable: true, idMappings: { uids: ids, gids: ids } });
    expect([lstatSync(path), lstatSync(join(path, 'etc/passwd'))].map(({ uid, gid }) => [uid, gid])).toEqual([
      [300_000, 300_000],
      [300_000, 300_000],
    ]);
    expect(lstatSync('/etc/passwd').uid).toBe(0);
  });

  it('keeps the mount while a process uses it, unless asked to detach it', async () => {
    const mounts = await open();
    const { path } = await mounts.mount(twoLayers(), { key: 'c1', isWritable: true });
    const user = spawn('sleep', ['60'], { cwd: path });
    await once(user, 'spawn');
    await expect(mounts.removeMount('c1')).rejects.toMatchObject({ code: 'MountFailed', retryable: true });
    expect(await mounts.listMounts()).toMatchObject([{ key: 'c1', isMounted: true }]);
    await mounts.unmount('c1', { isLazy: true });
    expect(mountsBelow(root)).toEqual([]);
    user.kill('SIGKILL');
    await once(user, 'exit');
    await mounts.removeMount('c1');
  });

  it('adopts mounts of another process, and removes folders without a record', async () => {
    const tree = twoLayers();
    await (await open()).mount(tree, { key: 'c1', isWritable: true });
    mkdirSync(join(root, 'mounts/half/rootfs'), { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(root, 'mounts/half/rootfs')]);
    const mounts = await open();
    expect(await mounts.listMounts()).toMatchObject([{ key: 'c1', isMounted: true }]);
    expect(readdirSync(join(root, 'mounts'))).toEqual(['c1']);
    expect(mounts.foldersInUse()).toEqual(new Set(tree.folders));
  });

  /** On a machine without Perl, and with mount(8) before 2.39. */
  const oldMounter: typeof mounter = {
    ...mounter,
    async run(program, args, own) {
      if (program === 'perl') throw new Error('perl cannot be run: ENOENT');
      return mounter.run(program, args[2]?.startsWith('X-mount.idmap') ? args.toSpliced(1, 2) : args, own);
    },
  };

  it.each([
    ['idmapped mounts', mounter],
    ['a tree of owners', oldMounter],
  ])('gives files the owners of a user namespace by %s, with their modes and capabilities', async (way, own) => {
    const base = layer('base', { 'bin/su': 'su', 'bin/ping': 'ping', 'home/user/file': 'text', 'far/file': '' });
    symlinkSync('/etc/passwd', join(base, 'bin/link'));
    await chmod(join(base, 'bin/su'), 0o6755);
    await chmod(join(base, 'bin/ping'), 0o755);
    execFileSync('setcap', ['cap_net_raw+ep', join(base, 'bin/ping')]);
    for (const name of ['home/user/file', 'home/user', 'bin/link']) await lchown(join(base, name), 1000, 100);
    await lchown(join(base, 'far/file'), 70_000, 70_000);
    const ids = [{ hostId: 300_000, containerId: 0, length: 65_536 }];
    const mounts = await open(own);
    const options: MountOptions = { key: 'c1', isWritable: true, idMappings: { uids: ids, gids: ids } };
    const tree = { image: 'a', folders: [layer('top', { 'bin/new': 'new' }), base] };
    const before = lstatSync(join(base, 'home/user/file'));
    const [{ path }, second] = await Promise.all([
      mounts.mount(tree, options),
      mounts.mount(tree, { ...options, key: 'c2', isWritable: false }),
    ]);
    expect(existsSync(join(root, 'shifted'))).toBe(way === 'a tree of owners');
    for (const tree of [path, second.path]) {
      const facts = (name: string) => {
        const { uid, gid, mode } = lstatSync(join(tree, name));
        return [uid, gid, (mode & 0o7777).toString(8)];
      };
      expect(facts('')).toEqual([300_000, 300_000, '755']);
      expect(facts('bin/su')).toEqual([300_000, 300_000, '6755']);
      expect(facts('bin/new')).toEqual([300_000, 300_000, '644']);
      expect(facts('home/user/file')).toEqual([301_000, 300_100, '644']);
      expect(facts('bin/link').slice(0, 2)).toEqual([301_000, 300_100]);
      expect(lstatSync(join(tree, 'home/user/file')).mtimeMs).toBe(before.mtimeMs);
      expect(readFileSync(join(tree, 'home/user/file'), 'utf8')).toBe('text');
      expect(execFileSync('getcap', [join(tree, 'bin/ping')], { encoding: 'utf8' })).toMatch('cap_net_raw=ep');
      expect(readFileSync(join(tree, 'bin/ping'), 'utf8')).toBe('ping');
    }
    expect(lstatSync(join(base, 'home/user/file')).uid).toBe(1000);
    expect(readdirSync(join(root, 'mounts/c1'))).toContain('upper');
    await mounts.removeMount('c1');
    await mounts.removeMount('c2');
    expect(existsSync(join(root, 'shifted')) ? readdirSync(join(root, 'shifted')) : []).toEqual([]);
    expect(mountsBelow(root)).toEqual([]);
  });
});

describe.runIf(overlayFolder)('a store on overlay', () => {
  it('has read-only mounts, and refuses writable layers', async () => {
    const [upper, work] = [layer('upper', { x: '' }), join(folder, 'work')];
    mkdirSync(work);
    const options = `lowerdir=${layer('lower', { y: '' })},upperdir=${upper},workdir=${work}`.replaceAll(/[:,](?=mounts| )/g, '\\$&');
    execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', options, root]);
    const mounts = await open();
    const tree = { image: 'a', folders: [layer('base', { file: 'text' })] };
    await expect(mounts.mount(tree, { key: 'c1', isWritable: true })).rejects.toMatchObject({
      code: 'UnsuitableFileSystem',
      message: `${root} is on overlay, which cannot have writable layers`,
    });
    const { path } = await mounts.mount(tree, { key: 'c1' });
    expect(readFileSync(join(path, 'file'), 'utf8')).toBe('text');
    await mounts.removeMount('c1');
  });
});

describe('mounts that fail', () => {
  const failing = async (options: Partial<MountOptions>, own = createFakeMounter()) => {
    const mounts: ImageMounts = await open(own);
    return mounts.mount({ image: 'a', folders: [layer('base', {})] }, { key: 'c1', ...options });
  };

  it('reject when mount(8) hangs or is missing, and leave nothing', async () => {
    const clock = createVirtualClock();
    const hanging = createFakeMounter();
    hanging.mount = (_request, own) => new Promise((_, reject) => own?.addEventListener('abort', () => reject(own.reason)));
    const mounts = await openImageMounts({ root, mounter: hanging, clock });
    const tree = { image: 'a', folders: [layer('base', {})] };
    const hung = mounts.mount(tree, { key: 'c1' });
    hung.catch(() => {});
    while (clock.pending === 0) await new Promise(setImmediate);
    await clock.advance(60_000);
    await expect(hung).rejects.toMatchObject({ code: 'MountTimeout', retryable: true });
    const missing = createFakeMounter();
    missing.fail = (call) => (call.startsWith('mount') ? new Error('mount cannot be run: ENOENT') : undefined);
    await expect(failing({}, missing)).rejects.toThrow('cannot be run');
    expect(readdirSync(join(root, 'mounts'))).toEqual([]);
  });

  it('name the option that is invalid', async () => {
    const ids = [{ hostId: 0, containerId: 0, length: 0 }];
    await expect(failing({ target: 'relative' })).rejects.toMatchObject({ details: { field: 'target' } });
    await expect(failing({ isWritable: true, subPath: 'a' })).rejects.toMatchObject({ details: { field: 'isWritable' } });
    await expect(failing({ selinuxContext: 'a",ro' })).rejects.toMatchObject({ details: { field: 'selinuxContext' } });
    await expect(failing({ idMappings: { uids: ids, gids: ids } })).rejects.toMatchObject({ details: { field: 'idMappings.uids' } });
  });
});
