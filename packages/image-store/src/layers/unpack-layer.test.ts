import { createHash } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultLayerLimits } from './rewrite-layer.js';
import { type TestEntry, testTar } from './test-tar.js';
import { unpackLayer } from './unpack-layer.js';

let root: string;
let count = 0;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'layers-'));
});

afterEach(() => rm(root, { recursive: true }));

/** Unpacks an archive into a folder, to whose path it resolves. */
async function unpackBytes(archive: Buffer, below: string[] = [], limits = {}, signal = new AbortController().signal): Promise<string> {
  const folder = join(root, `layer-${count++}`);
  await mkdir(folder);
  const blobPath = join(root, 'blob');
  await writeFile(blobPath, gzipSync(archive));
  const diffId = `sha256:${createHash('sha256').update(archive).digest('hex')}`;
  await unpackLayer({ blobPath, diffId, below }, folder, { ...defaultLayerLimits, ...limits }, signal);
  return folder;
}

const unpack = async (...entries: TestEntry[]) => unpackBytes(await testTar(...entries));
const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)('unpacks', () => {
  it('files with owners, modes and times, links, hard links and FIFOs', async () => {
    const folder = await unpack(
      { name: 'bin/', type: 'directory', mode: 0o1777 },
      { name: 'bin/su', content: 'program', mode: 0o4755, uid: 12, gid: 34 },
      { name: 'bin/sudo', type: 'link', linkname: 'bin/su' },
      { name: 'sh', type: 'symlink', linkname: '/bin/../../su', uid: 5 },
      { name: 'pipe', type: 'fifo' },
      { name: 'null', type: 'character-device', mode: 0o666 },
      { name: 'late', pax: { mtime: '-1.5', uid: '5000000', path: 'ünïcode' } },
    );
    const su = await lstat(join(folder, 'bin/su'));
    expect(su).toMatchObject({ mode: 0o104755, uid: 12, gid: 34, nlink: 2, mtimeMs: 1000 });
    expect((await lstat(join(folder, 'bin/sudo'))).ino).toBe(su.ino);
    expect(await readFile(join(folder, 'bin/su'), 'utf8')).toBe('program');
    expect((await lstat(join(folder, 'bin'))).mode).toBe(0o41777);
    expect(await readlink(join(folder, 'sh'))).toBe('/bin/../../su');
    expect((await lstat(join(folder, 'sh'))).uid).toBe(5);
    expect((await lstat(join(folder, 'pipe'))).isFIFO()).toBe(true);
    expect(await lstat(join(folder, 'ünïcode'))).toMatchObject({ uid: 5_000_000, mtimeMs: -1500 });
    expect((await lstat(folder)).mode).toBe(0o40755);
  });

  it('whiteouts as devices, and keeps owners of folders that no entry describes', async () => {
    const below = await unpack({ name: 'usr/', type: 'directory', mode: 0o700, uid: 7 }, { name: 'usr/a' }, { name: 'b' });
    const archive = await testTar({ name: 'usr/.wh.a' }, { name: '.wh.b', uid: 3 }, { name: 'd/.wh..wh..opq' }, { name: 'd/new' });
    const folder = await unpackBytes(archive, [below]);
    expect(await lstat(join(folder, 'usr/a'))).toMatchObject({ mode: 0o20000, rdev: 0, uid: 0 });
    expect(await lstat(join(folder, 'b'))).toMatchObject({ mode: 0o20000, rdev: 0, uid: 3 });
    expect(await lstat(join(folder, 'usr'))).toMatchObject({ mode: 0o40700, uid: 7, mtimeMs: 1000 });
    expect(await readdir(join(folder, 'd'))).toEqual(['new']);
  });

  it('nothing outside of its folder', async () => {
    const victim = join(root, 'victim');
    await writeFile(victim, 'untouched');
    const folder = await unpack(
      { name: 'out', type: 'symlink', linkname: root },
      { name: 'out/victim', content: 'changed' },
      { name: 'up', type: 'symlink', linkname: '..' },
      { name: 'up/victim', content: 'changed' },
      { name: 'renamed', content: 'changed', pax: { path: 'up/victim' } },
      { name: 'sparse', content: 'changed', pax: { 'GNU.sparse.name': `${root}/victim`, 'GNU.sparse.realsize': '7' } },
    );
    expect(await readFile(victim, 'utf8')).toBe('untouched');
    expect(await readFile(join(folder, root, 'victim'), 'utf8')).toBe('changed');
    expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('changed');
  });

  it('the later of two entries of one name', async () => {
    const folder = await unpack(
      { name: 'a', content: 'first' },
      { name: 'a', content: 'second' },
      { name: 'd/deep/file' },
      { name: 'd', content: 'a file' },
      { name: 'l', type: 'symlink', linkname: 'a' },
      { name: 'l/', type: 'directory' },
      { name: 'l/in', content: 'folder' },
    );
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('second');
    expect(await readFile(join(folder, 'd'), 'utf8')).toBe('a file');
    expect(await readFile(join(folder, 'l/in'), 'utf8')).toBe('folder');
  });

  it('an archive that others follow, and names of 255 bytes', async () => {
    const name = `${'n'.repeat(255)}/${'m'.repeat(255)}`;
    const folder = await unpackBytes(
      Buffer.concat([await testTar({ name, content: 'x' }), Buffer.alloc(3000), await testTar({ name: 'second' })]),
    );
    expect(await readFile(join(folder, name), 'utf8')).toBe('x');
    expect(await readdir(folder)).toEqual(['n'.repeat(255)]);
  });

  it('an archive without the padding at its end', async () => {
    const archive = await testTar({ name: 'a', content: 'x' });
    const folder = await unpackBytes(archive.subarray(0, 513));
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('x');
  });
});

describe.runIf(isRoot)('refuses', () => {
  it.each<[string, TestEntry[], string]>([
    ['a name above the layer', [{ name: '../a' }], 'has .. in its name'],
    ['a hard link to the machine', [{ name: 'a', type: 'link', linkname: '/etc/passwd' }], 'leads through "etc"'],
    [
      'a hard link by an extended header',
      [{ name: 'x' }, { name: 'a', type: 'link', linkname: 'x', pax: { linkpath: '../etc/passwd' } }],
      '..',
    ],
    ['a whiteout of ..', [{ name: 'a/.wh...' }], 'is a whiteout of no file'],
    ['a size that is none', [{ name: 'a', pax: { size: '-5' } }], 'has the size -5'],
    ['a huge size', [{ name: 'a', pax: { size: '99999999999999999999' } }], 'has the size'],
    ['more than its archive has', [{ name: 'a', pax: { size: '100000' } }], 'is cut off'],
  ])('%s', async (_, entries, message) => {
    await expect(unpack(...entries)).rejects.toMatchObject({ code: 'UnsafeLayer', message: expect.stringContaining(message) });
  });

  it('bombs', async () => {
    const sparse = await testTar({
      name: 'a',
      content: '0\n',
      pax: { 'GNU.sparse.major': '1', 'GNU.sparse.minor': '0', 'GNU.sparse.realsize': '9999999999' },
    });
    await expect(unpackBytes(sparse, [], { maxBytes: 1e9 })).rejects.toThrow('larger than 1000000000 bytes');
    const files = await testTar(...Array.from({ length: 20 }, (_, index) => ({ name: `f${index}` })));
    await expect(unpackBytes(files, [], { maxFiles: 10 })).rejects.toThrow('is one file more than 10');
    const deep = await testTar({ name: 'd/'.repeat(12) });
    await expect(unpackBytes(deep, [], { maxDepth: 10 })).rejects.toThrow('more than 10 folders deep');
  });

  it('archives that are cut off, at each block, and what is none', async () => {
    const archive = await testTar({ name: 'a', content: 'x'.repeat(1200) }, { name: 'b'.repeat(150), content: 'y' });
    for (const end of [100, 600, 1100, 1700, 3200]) await expect(unpackBytes(archive.subarray(0, end))).rejects.toThrow('cut off');
    await expect(unpackBytes(Buffer.alloc(1024, 'x'))).rejects.toMatchObject({ code: 'UnsafeLayer' });
  });

  it('content of another digest', async () => {
    const blobPath = join(root, 'blob');
    await writeFile(blobPath, await testTar({ name: 'a' }));
    const layer = { blobPath, diffId: `sha256:${'0'.repeat(64)}`, below: [] };
    const folder = join(root, 'other');
    await mkdir(folder);
    await expect(unpackLayer(layer, folder, defaultLayerLimits, new AbortController().signal)).rejects.toMatchObject({
      code: 'ContentMismatch',
    });
  });

  it('to go on once it is aborted', async () => {
    const own = new AbortController();
    const unpacking = unpackBytes(await testTar({ name: 'a', content: 'x'.repeat(5_000_000) }), [], {}, own.signal);
    own.abort(new Error('enough'));
    await expect(unpacking).rejects.toThrow('enough');
  });
});
