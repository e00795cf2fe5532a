import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openImageStore } from '@nodeagent/image-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  descriptorOf,
  startTestRegistry,
  type TestRegistry,
  testContent,
  testImage,
} from '../../../../image-store/src/pull/test-registry.js';
import type { InputStream } from '../../console.js';
import { main } from '../../main.js';
import { createTestConsole } from '../../test-console.js';

const first = testImage([Buffer.from('layer one'), Buffer.from('layer two')], { config: { Cmd: ['/app'] } });
const second = testImage([Buffer.from('layer one'), Buffer.from('other')]);
let folder: string;
let registry: TestRegistry;
let name: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nodeagent-image-'));
  registry = await startTestRegistry();
  registry.add('team/app:1', first);
  registry.add('team/other:2', second);
  name = `${registry.host}/team/app:1`;
});
afterEach(async () => {
  await registry.stop();
  rmSync(folder, { recursive: true });
});

interface RunOptions {
  isTTY?: boolean;
  stdin?: InputStream;
  env?: NodeJS.ProcessEnv;
}

function start(words: readonly string[], { env, ...options }: RunOptions = {}) {
  const isolated = { HOME: folder, ...env };
  const used = createTestConsole({ columns: 100, rows: 24, ...options, env: isolated });
  const code = main(['image', ...words, '--root', join(folder, 'images')], used.console);
  return { ...used, code };
}

async function run(words: readonly string[], options: RunOptions = {}) {
  const { code, stdout, stderr } = start(words, options);
  return { code: await code, stdout: stdout.text, stderr: stderr.text.replaceAll(registry.host, 'HOST') };
}

const shortDigest = (digest: string | undefined) => digest?.slice(7, 19);

describe('nodeagent image pull', () => {
  it('prints the id, and a line for each finished layer; only the id with --quiet', async () => {
    const lines = first.layers.map(({ digest, size }) => `${shortDigest(digest)}: downloaded, ${size} B`);
    const { code, stdout, stderr } = await run(['pull', name]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${first.config.digest}\n` });
    expect(stderr.trimEnd().split('\n').sort()).toEqual(lines.sort());
    expect(await run(['pull', `${registry.host}/team/other:2`, '-q'])).toEqual({
      code: 0,
      stdout: `${second.config.digest}\n`,
      stderr: '',
    });
  });

  it('draws a bar for each layer on a terminal', async () => {
    const { code, stderr } = start(['pull', name], { isTTY: true });
    expect(await code).toBe(0);
    const drawn = stderr.text.replaceAll('\r', '').trimEnd().split('\n').slice(-3);
    const row = ({ digest, size }: { digest: string; size: number }) => `${shortDigest(digest)}  [####################]  ${size} B`;
    expect(drawn.slice(0, 2).map((line) => line.replace(/ +done$/, ''))).toEqual(first.layers.map(row));
    expect(drawn[2]).toMatch(/^total {9}\[#{20}\] {2}\d+ B of \d+ B {2}2 of 2 layers$/);
  });

  it('ends at Ctrl-C with exit code 130, keeps what it has, and continues there', async () => {
    const large = testImage([randomBytes(2_000_000)]);
    const [layer] = large.layers;
    registry.add('team/large:1', large);
    registry.misbehave = (request, response) => {
      if (request.url?.endsWith(layer?.digest ?? '') !== true || request.headers.range !== undefined) return false;
      response.writeHead(200, { 'content-length': layer?.size });
      response.write(layer?.bytes.subarray(0, 1_500_000));
      return true;
    };
    const image = `${registry.host}/team/large:1`;
    const { code, stderr, stdout, end } = start(['pull', image]);
    const ingest = join(folder, 'images', 'ingest');
    await expect
      .poll(() => existsSync(ingest) && readdirSync(ingest).some((file) => statSync(join(ingest, file)).size > 500_000))
      .toBe(true);
    end('SIGINT');
    expect({ code: await code, stdout: stdout.text }).toEqual({ code: 130, stdout: '' });
    expect(stderr.text).toContain('interrupted: what was downloaded is kept');
    expect(await run(['pull', image])).toMatchObject({ code: 0 });
    expect(registry.requests.filter((request) => /bytes=\d{6,}-$/.test(request))).toHaveLength(1);
  });

  it('pulls for another platform, and warns of an image that has one only', async () => {
    const entry = ({ manifest }: typeof first, architecture: string) => ({
      ...descriptorOf(manifest),
      platform: { os: 'linux', architecture },
    });
    const manifests = [entry(first, 'amd64'), entry(second, 'arm64')];
    registry.add('team/both:1', first, testContent('application/vnd.oci.image.index.v1+json', { schemaVersion: 2, manifests }));
    const image = `${registry.host}/team/both:1`;
    expect(await run(['pull', image, '--platform', 'linux/arm64', '-q'])).toMatchObject({ stdout: `${second.config.digest}\n` });
    expect(await run(['pull', image, '--platform', 'linux/s390x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It has linux/amd64, linux/arm64.'),
    });
    expect((await run(['pull', name, '--platform', 'linux/s390x', '-q'])).stderr).toBe(
      'warning: the image has only the platform linux/amd64\n',
    );
    registry.add('team/evil:1', testImage([], { os: 'a\u001b]0;b\u0007', architecture: '\u009b2J' }));
    expect((await run(['pull', `${registry.host}/team/evil:1`, '--platform', 'linux/s390x', '-q'])).stderr).toBe(
      'warning: the image has only the platform a ]0;b / 2J\n',
    );
    expect(await run(['pull', name, '--platform', 'arm64'])).toMatchObject({ code: 2 });
  });

  it('names registry, image and the way out of a failure', async () => {
    expect((await run(['pull', `${registry.host}/team/none:1`])).stderr).toMatch(
      /^error: cannot pull HOST\/team\/none:1: .*404: MANIFEST_UNKNOWN.*\n {2}HOST has no such image: check its name and tag\n$/,
    );
    registry.misbehave = (_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' });
      response.end();
      return true;
    };
    expect(await run(['pull', name])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('HOST demands credentials: "podman login HOST"'),
    });
    const stdin = Readable.from(['secret\n']);
    const refused = await run(['pull', name, '--username', 'robot', '--password-stdin'], { stdin });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('HOST refuses the credentials of --username for this image'),
    });
    expect(JSON.stringify(refused)).not.toContain('secret');
    expect(registry.requests.at(-1)).toContain(`Basic ${Buffer.from('robot:secret').toString('base64')}`);
    expect((await run(['pull', 'UPPER/case'])).stderr).toContain('UPPER/case');
  });

  it('names the process that has the store; list and inspect work meanwhile', async () => {
    await run(['pull', name]);
    const store = await openImageStore({ root: join(folder, 'images') });
    const { code, stderr } = await run(['pull', name]);
    expect(code).toBe(1);
    expect(stderr).toContain(`in use by process ${process.pid}\n  stop it, or set --root to another directory; "nodeagent image list"`);
    expect((await run(['list', '-q'])).stdout).toBe(`${first.config.digest}\n`);
    expect(await run(['inspect', name])).toMatchObject({ code: 0 });
    await store.close();
  });
});

describe('the images', () => {
  beforeEach(async () => {
    await run(['pull', name, '-q']);
    await run(['pull', `${registry.host}/team/other:2`, '-q']);
  });

  it('are listed as a table or as JSON', async () => {
    const { stdout } = await run(['list']);
    const [heading, app, other, ...rest] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^REPOSITORY +TAG {2}IMAGE ID {6}PLATFORM {5}SIZE$/);
    expect(app?.split(/ {2,}/)).toEqual([
      `${registry.host}/team/app`,
      '1',
      shortDigest(first.config.digest),
      'linux/amd64',
      expect.any(String),
    ]);
    expect([other?.includes('team/other'), rest]).toEqual([true, []]);
    const images = JSON.parse((await run(['list', '-o', 'json'])).stdout);
    expect(images.map(({ id }: { id: string }) => id)).toEqual([first.config.digest, second.config.digest]);
  });

  it('are inspected by name, id or the beginning of an id', async () => {
    const inspected = async (image: string) => JSON.parse((await run(['inspect', image])).stdout);
    const [found] = await inspected(name);
    expect(found).toMatchObject({
      id: first.config.digest,
      repoTags: [name],
      target: descriptorOf(first.manifest),
      platform: { os: 'linux', architecture: 'amd64' },
      config: { config: { Cmd: ['/app'] } },
    });
    expect(found.layers).toHaveLength(2);
    expect(found.layers.map(({ digest }: { digest: string }) => digest)).toEqual(first.layers.map(({ digest }) => digest));
    expect(found.layers[0].diffId).toMatch(/^sha256:/);
    expect(await inspected(first.config.digest.slice(7, 15))).toEqual([found]);
  });

  it('are removed, all that are there; the nearest name is proposed', async () => {
    await run(['tag', name, 'nginx']);
    const { code, stdout, stderr } = await run(['rm', 'ngnix', name, second.config.digest.slice(7, 19)]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: `removed ${name}\nremoved ${second.config.digest.slice(7, 19)}\n` });
    expect(stderr).toBe('error: no image ngnix; did you mean nginx?\n  "nodeagent image list" lists the images\n');
    expect((await run(['list'])).stdout).toMatch(/^docker.io\/library\/nginx +latest /m);
    expect(await run(['rm', 'nginx'])).toMatchObject({ code: 0 });
    expect((await run(['inspect', 'nginx'])).stderr).toContain('the store is empty: "nodeagent image pull IMAGE" pulls one');
    expect((await run(['prune'])).stdout).toBe('removed 0 B\n');
  });

  it('are exported and imported, also through pipes', async () => {
    const file = join(folder, 'images.tar');
    expect(await run(['export', name, second.config.digest.slice(7, 19), '-o', file])).toEqual({ code: 0, stdout: '', stderr: '' });
    await run(['rm', name, second.config.digest]);
    const imported = await run(['import', file]);
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining(`${name} ${first.config.digest}\n`) });
    await run(['rm', name]);
    expect(await run(['import', '-'], { stdin: Readable.from([readFileSync(file)]) })).toMatchObject({ code: 0 });
    expect(readdirSync(folder).filter((each) => each.includes('tar'))).toEqual(['images.tar']);
  });

  it('are not written through a link in the place of the unfinished file', async () => {
    await run(['pull', name]);
    const [file, other] = [join(folder, 'export.tar'), join(folder, 'other')];
    writeFileSync(other, 'kept');
    symlinkSync(other, `${file}.${process.pid}.partial`);
    expect(await run(['export', name, '-o', file])).toMatchObject({ code: 0 });
    expect(readFileSync(other, 'utf8')).toBe('kept');
    expect(lstatSync(file).isFile()).toBe(true);
  });

  it('are not written to a terminal, and not in the place of a file if the export fails', async () => {
    expect(await run(['export', name], { isTTY: true })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('stdout is a terminal'),
    });
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    expect(await run(['import', '-'], { stdin })).toMatchObject({ code: 2, stderr: expect.stringContaining('stdin is a terminal') });
    const file = join(folder, 'kept.tar');
    writeFileSync(file, 'kept');
    rmSync(join(folder, 'images', 'blobs', ...(first.layers[0]?.digest ?? '').split(':')));
    expect(await run(['export', name, '-o', file])).toMatchObject({ code: 1 });
    expect([readFileSync(file, 'utf8'), readdirSync(folder).filter((each) => each.includes('partial'))]).toEqual(['kept', []]);
    expect(await run(['import', file])).toMatchObject({ code: 1 });
  });
});

describe('nodeagent image', () => {
  it.each([
    [[], 'image: an action is required first: pull, list', 'see nodeagent image --help'],
    [['pul', 'x'], 'unknown action "pul"; did you mean "pull"?', 'see nodeagent image --help'],
    [['pull'], 'image pull: IMAGE is required', 'see nodeagent image pull --help'],
    [['pull', 'x', '--plattform', 'y'], 'did you mean --platform?', 'see nodeagent image pull --help'],
    [['pull', 'x', '--username', 'y'], '--username: requires --password-stdin', 'see nodeagent image pull --help'],
    [['rm'], 'image rm: IMAGE is required', 'see nodeagent image rm --help'],
    [['tag', 'x'], 'image tag: IMAGE and NAME are required', 'see nodeagent image tag --help'],
    [['import'], 'image import: FILE is required', 'see nodeagent image import --help'],
  ])('%j', async (words, message, hint) => {
    const { console, stderr } = createTestConsole();
    expect(await main(['image', ...words], console)).toBe(2);
    expect(stderr.text).toContain(message);
    expect(stderr.text).toContain(hint);
  });

  it('explains each action', async () => {
    for (const action of ['pull', 'list', 'inspect', 'tag', 'rm', 'prune', 'import', 'export']) {
      const { console, stdout } = createTestConsole();
      expect(await main(['help', 'image', action], console)).toBe(0);
      expect(stdout.text).toContain(`usage: nodeagent image ${action}`);
      expect(stdout.text.split('\n').every((line) => line.length <= 132)).toBe(true);
    }
  });
});
