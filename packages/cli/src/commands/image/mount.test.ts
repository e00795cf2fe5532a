import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testTar } from '../../../../image-store/src/layers/test-tar.js';
import { startTestRegistry, type TestRegistry, testImage } from '../../../../image-store/src/pull/test-registry.js';
import { main } from '../../main.js';
import { createTestConsole } from '../../test-console.js';

const isRoot = process.getuid?.() === 0;
let folder: string;
let registry: TestRegistry;
let image: string;
let target: string;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'nodeagent-mount-')));
  registry = await startTestRegistry();
  registry.add('app:1', testImage([await testTar({ name: 'etc/conf', content: 'of the image' })]));
  image = `${registry.host}/app:1`;
  target = join(folder, 'here');
  mkdirSync(target);
});
afterEach(async () => {
  // Of a test that failed.
  await run('unmount', target, '--lazy');
  await registry.stop();
  rmSync(folder, { recursive: true });
});

async function run(...words: string[]) {
  const { console, stdout, stderr } = createTestConsole({ env: { HOME: folder } });
  const code = await main(['image', ...words, '--root', join(folder, 'images')], console);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

const success = { code: 0, stdout: '', stderr: '' };

describe.runIf(isRoot)('nodeagent image mount', () => {
  it('mounts the files of an image at a folder until unmount, also if the image is removed', async () => {
    await run('pull', image, '--unpack', '-q');
    expect(await run('mount', image, target)).toEqual(success);
    expect(readFileSync(join(target, 'etc/conf'), 'utf8')).toBe('of the image');
    expect(() => writeFileSync(join(target, 'new'), '')).toThrow('EROFS');
    const [, row] = (await run('mount')).stdout.split('\n');
    expect(row?.split(/ {2,}/)).toEqual([target, image, 'mounted']);
    expect(await run('rm', image)).toMatchObject({ code: 0 });
    expect(readdirSync(target)).toEqual(['etc']);
    expect(await run('unmount', target)).toEqual(success);
    expect(readdirSync(target)).toEqual([]);
    expect((await run('unmount', target)).stderr).toContain(`no image is mounted at ${target}\n  "nodeagent image mount" lists the mounts`);
  });

  it('mounts a part of an image', async () => {
    await run('pull', image, '-q');
    expect(await run('mount', image, target, '--sub-path', 'etc')).toEqual(success);
    expect(readdirSync(target)).toEqual(['conf']);
    expect(await run('unmount', target, '--lazy')).toEqual(success);
  });
});

describe.runIf(!isRoot)('without root', () => {
  it('names what needs it', async () => {
    await run('pull', image, '-q');
    expect(await run('mount', image, target)).toMatchObject({ code: 1, stderr: expect.stringContaining('this requires root') });
  });
});

it.each([
  [['mount', 'app', '/nonexistent'], 1, 'the folder /nonexistent cannot be used\n  create it: "mkdir -p /nonexistent"'],
  [['mount', 'ap', tmpdir()], 1, 'no image ap'],
  [['mount', 'app'], 2, 'image mount: IMAGE and DIR are required'],
  [['unmount'], 2, 'image unmount: DIR is required'],
])('refuses %j', async (words, code, message) => {
  expect(await run(...words)).toMatchObject({ code, stderr: expect.stringContaining(message) });
});
