import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTar } from './gnu-tar.js';
import { encodePaxRecords } from './pax-records.js';
import { defaultLayerLimits, rewriteLayer } from './rewrite-layer.js';
import { padded } from './tar-numbers.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sparse-'));
});

afterEach(() => rm(root, { recursive: true }));

/** A header of the given type; of a sparse file of old GNU tar with one piece. */
function header(
  name: string,
  type: string,
  size: number,
  { magic = 'ustar\x0000', prefix = '', piece = { offset: 0, size: 0 }, isExtended = false } = {},
): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, offset: number) => block.write(`${value.toString(8).padStart(11, '0')}\0`, offset);
  block.write(name);
  block.write('0000644\x000000000\x000000000\0', 100);
  octal(size, 124);
  octal(1, 136);
  block.write(`        ${type}`, 148);
  block.write(magic, 257);
  block.write(prefix, 345);
  if (type === 'S') {
    octal(piece.offset, 386);
    octal(piece.size, 398);
    block[482] = isExtended ? 1 : 0;
    octal(piece.offset + piece.size, 483);
  }
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function extended(records: Record<string, string>): Buffer {
  const content = encodePaxRecords(Object.entries(records).map(([key, value]) => ({ key, value: Buffer.from(value) })));
  return Buffer.concat([header('pax', 'x', content.length), content, Buffer.alloc(padded(content.length) - content.length)]);
}

const block = (text: string) => Buffer.concat([Buffer.from(text), Buffer.alloc(512 - text.length)]);

async function* archive(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function extract(bytes: Buffer): Promise<string> {
  const folder = join(root, 'layer');
  await mkdir(folder);
  const tar = startTar(folder);
  for await (const step of rewriteLayer(archive(bytes), async () => undefined, defaultLayerLimits, { usedBytes: 0, usedInodes: 0 }))
    if (step.kind === 'archive') await tar.write(step.bytes);
  await tar.end();
  return folder;
}

describe.runIf(process.getuid?.() === 0)('sparse files', () => {
  it.each([
    ['of the first format', ['--format=gnu']],
    ['of 0.0', ['--format=posix', '--sparse-version=0.0']],
    ['of 0.1', ['--format=posix', '--sparse-version=0.1']],
    ['of 1.0', ['--format=posix', '--sparse-version=1.0']],
  ])('%s are unpacked as they were, with their holes', async (_, options) => {
    const path = join(root, 'file');
    const file = await open(path, 'w');
    for (let piece = 0; piece < 60; piece++) await file.write(`piece ${piece}`, piece * 1_000_000);
    await file.truncate(70_000_000);
    await file.close();
    const { stdout } = spawnSync('tar', ['--create', '--sparse', ...options, '--directory', root, 'file'], { maxBuffer: 2 ** 24 });
    expect(stdout.length).toBeLessThan(1_000_000);
    const unpacked = join(await extract(stdout), 'file');
    expect((await readFile(path)).equals(await readFile(unpacked))).toBe(true);
    expect((await stat(unpacked)).blocks * 512).toBeLessThan(1_000_000);
  });

  it.each([
    ['an extended header', () => [extended({ 'GNU.sparse.size': '1024', 'GNU.sparse.map': '0,1024' }), header('a', '0', 0)]],
    [
      'its content',
      () => [
        extended({ 'GNU.sparse.major': '1', 'GNU.sparse.minor': '0', 'GNU.sparse.realsize': '1024' }),
        header('a', '0', 512),
        block('1\n0\n1024\n'),
      ],
    ],
    ['a header of GNU tar', () => [header('a', 'S', 0, { magic: 'ustar  \0', piece: { offset: 0, size: 1024 } })]],
  ])('are refused if the map of %s would have tar read a file as entries', async (_, sparse) => {
    const victim = join(root, 'victim');
    const hidden = Buffer.concat([header(victim, '0', 0), Buffer.alloc(1024)]);
    const bytes = Buffer.concat([...sparse(), header('b', '0', 512 + hidden.length), block('data'), hidden, Buffer.alloc(1024)]);
    await expect(extract(bytes)).rejects.toThrow('entry "a" has a sparse map of 1024 bytes, but 0 bytes of data');
    await expect(stat(victim)).rejects.toThrow('ENOENT');
  });
});

describe('refuses', () => {
  const pax = (records: Record<string, string>, size = 0, content = '') => [
    extended(Object.fromEntries(Object.entries(records).map(([key, value]) => [`GNU.sparse.${key}`, value]))),
    header('a', '0', size),
    block(content),
  ];
  it.each([
    ['a sparse file in the format of POSIX', [header('a', 'S', 0, { prefix: '/etc' })], 'in a format that has none'],
    ['one in the oldest format', [header('a', 'S', 0, { magic: '', isExtended: true })], 'in a format that has none'],
    ['pieces that overlap', pax({ size: '9', map: '0,2,1,2' }, 4), 'whose pieces do not ascend'],
    ['a piece after the end', pax({ size: '9', map: '8,2' }, 2), 'up to 10 bytes for a file of 9'],
    ['less data than there is', pax({ size: '9', map: '0,2' }, 3), 'of 2 bytes, but 3 bytes of data'],
    ['an offset without a size', pax({ size: '9', map: '0,2,4' }, 2), 'malformed sparse map'],
    ['a negative size', pax({ size: '9', map: '4,-2' }, 2), 'the size -2'],
    ['a size that is none', pax({ realsize: '1e3', map: '' }), 'the size 1e3'],
    ['a map that is longer than the content', pax({ major: '1', minor: '0', realsize: '0' }, 512, '100\n0\n0\n'), 'malformed sparse map'],
    ['a map without an end', pax({ major: '1', minor: '0', realsize: '0' }, 2 ** 30, '100000000\n'), 'malformed sparse map'],
    [
      'a record of a key with a NUL, after which tar ignores others',
      [extended({ 'SCHILY.xattr.user.a\0': '' })],
      'malformed extended header',
    ],
  ])('%s', async (_, blocks, message) => {
    const steps = rewriteLayer(archive(Buffer.concat(blocks)), async () => undefined, defaultLayerLimits, { usedBytes: 0, usedInodes: 0 });
    const read = async () => {
      for await (const _step of steps);
    };
    await expect(read()).rejects.toMatchObject({ code: 'UnsafeLayer', message: expect.stringContaining(message) });
  });
});
