import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { machineNetwork } from '../http/machine-network.js';
import { createTestApiServer } from '../test-api-server.js';
import { compactPath } from './compaction.js';
import { type FileStorageOptions, fileStorage } from './file-storage.js';
import { disk } from './log-file.js';

/** The space that the disk has left, and whether it takes new files. */
const space = { bytes: Number.POSITIVE_INFINITY, takesNewFiles: true };
const { write } = disk;
vi.spyOn(disk, 'write').mockImplementation((fd, bytes, from, length) => {
  const isNew = Buffer.from(bytes.subarray(8, 15)).toString() === ' {"log"';
  if (space.bytes === 0 || (isNew && !space.takesNewFiles))
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const written = write(fd, bytes, from, Math.min(length, space.bytes));
  space.bytes -= written;
  return written;
});
afterAll(() => vi.restoreAllMocks());

const folders: string[] = [];
afterEach(() => {
  Object.assign(space, { bytes: Number.POSITIVE_INFINITY, takesNewFiles: true });
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'file-storage-'));
  folders.push(folder);
  return join(folder, 'state.log');
}

const serverOn = async (path: string, options?: FileStorageOptions) =>
  createTestApiServer({ network: machineNetwork, storage: await fileStorage(path, options) });
const configMap = (name: string, text = '') => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } });
const configMaps = '/api/v1/namespaces/default/configmaps';

describe('a server with a file', () => {
  it('continues where the last one stopped', async () => {
    const path = newFile();
    const first = await serverOn(path);
    first.objects.create(configMap('a', 'kept'));
    first.objects.create(configMap('b'));
    first.objects.delete('configmaps', 'b');
    const { revision, caCertificate } = first;
    const objects = first.objects.list('configmaps');
    const token = { url: '/api/v1/namespaces/default/serviceaccounts/default/token', method: 'POST', body: { spec: {} } };
    const { status } = JSON.parse((await first.handle(token)).body as string);
    await first.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);

    const second = await serverOn(path);
    expect([second.objects.list('configmaps'), second.caCertificate]).toEqual([objects, caCertificate]);
    expect(second.revision).toBe(revision);
    const headers = { authorization: `Bearer ${status.token}` };
    expect((await second.handle({ url: '/api/v1/namespaces', headers })).status).toBe(200);
    const old = await second.handle({ url: `/api/v1/configmaps?watch=1&resourceVersion=${revision - 1}` });
    expect(await firstOf(old.body as AsyncIterable<string>)).toContain('"code":410');
    await second.close();
  });

  it('serves the custom resources of the last one', async () => {
    const path = newFile();
    const first = await serverOn(path);
    const names = { plural: 'widgets', kind: 'Widget' };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    first.objects.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: { group: 'example.com', scope: 'Cluster', names, versions },
    });
    first.objects.create({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } });
    await first.close();
    const second = await serverOn(path);
    expect(second.objects.get('widgets', 'w')).toBeDefined();
    await second.close();
  });

  it('answers only after the wait for the disk, which concurrent writes share', async () => {
    const path = newFile();
    const server = await serverOn(path, { sync: true });
    const create = (name: string) => server.handle({ method: 'POST', url: configMaps, body: configMap(name) });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => create(`m${at}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
    await server.close();
    const second = await serverOn(path);
    expect(second.objects.get('configmaps', 'm49')).toBeDefined();
    await second.close();
  });

  it('is the only one, until it is closed', async () => {
    const path = newFile();
    const first = await serverOn(path);
    const inUse = { code: 'StorageInUse', message: `use ${path}: process ${process.pid} uses it` };
    await expect(serverOn(path)).rejects.toMatchObject(inUse);
    first.objects.create(configMap('a'));
    await first.close();
    // A killed server leaves its socket, on which nothing listens, and the file of a compaction.
    writeFileSync(`${path}.lock`, '');
    writeFileSync(compactPath(path), 'half');
    const second = await serverOn(path);
    expect(second.objects.get('configmaps', 'a')).toBeDefined();
    await second.close();
    expect(readdirSync(join(path, '..'))).toEqual(['state.log']);
  });
});

const seed = Date.now() % 1_000_000;
let state = seed;
/** Whole numbers below a limit that follow from the seed. */
function random(limit: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((state / 2 ** 31) * limit);
}

describe('a file that is compacted', () => {
  it('stays small, without a lost change', async () => {
    const path = newFile();
    const first = await serverOn(path, { minCompactionBytes: 60_000 });
    for (let n = 0; n < 400; n++) {
      const name = `m${n % 10}`;
      if (first.objects.get('configmaps', name)) first.objects.delete('configmaps', name);
      first.objects.create(configMap(name, 'x'.repeat(n)));
      // The wait for the disk is over at some time.
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitUntil(
      () => {
        first.objects.update('configmaps', 'm0', (object) => Object.assign(object, { data: { text: `${statSync(path).size}` } }));
        return statSync(path).size < 200_000;
      },
      { timeout: 30_000 },
    );
    const [objects, { revision }] = [first.objects.list('configmaps'), first];
    await first.close();
    const second = await serverOn(path);
    expect([second.objects.list('configmaps'), second.revision]).toEqual([objects, revision]);
    await second.close();
  });

  it(`has every change whenever the process is killed (seed ${seed})`, async () => {
    const path = newFile();
    const first = await serverOn(path, { minCompactionBytes: 1_000_000 });
    const copy = newFile();
    let checked = 0;
    for (let n = 0; n < 150; n++) {
      const name = `m${random(12)}`;
      if (first.objects.get('configmaps', name)) first.objects.delete('configmaps', name);
      if (random(4) > 0) first.objects.create(configMap(name, 'x'.repeat(random(150_000))));
      await new Promise((resolve) => setImmediate(resolve));
      const isCompacting = existsSync(compactPath(path));
      if (!isCompacting && random(8) > 0) continue;
      // What a killed process leaves.
      copyFileSync(path, copy);
      if (isCompacting) copyFileSync(compactPath(path), compactPath(copy));
      const second = await serverOn(copy);
      expect([n, second.objects.list('configmaps')]).toEqual([n, first.objects.list('configmaps')]);
      await second.close();
      if (isCompacting) checked++;
    }
    await first.close();
    expect(checked).toBeGreaterThan(3);
  });
});

describe('a disk without space', () => {
  it('refuses writes with 500, and takes them once it has space', async () => {
    const path = newFile();
    const server = await serverOn(path);
    const create = async (name: string) => {
      const { status, body } = await server.handle({ method: 'POST', url: configMaps, body: configMap(name, 'x'.repeat(1_000)) });
      return { status, message: JSON.parse(body as string).message };
    };
    expect((await create('a')).status).toBe(201);
    space.bytes = 100;
    expect(await create('b')).toEqual({ status: 500, message: expect.stringContaining('ENOSPC') });
    expect((await server.handle({ url: `${configMaps}/b` })).status).toBe(404);
    space.bytes = Number.POSITIVE_INFINITY;
    expect((await create('c')).status).toBe(201);
    await server.close();
    const second = await serverOn(path);
    const names = second.objects.list('configmaps', { namespace: 'default' }).map(({ metadata }) => metadata?.name);
    expect(names).toEqual(['a', 'c', 'kube-root-ca.crt']);
    await second.close();
  });

  it('keeps the log that it cannot compact', async () => {
    const path = newFile();
    const server = await serverOn(path, { minCompactionBytes: 100_000 });
    server.objects.create(configMap('a', 'x'.repeat(150_000)));
    space.takesNewFiles = false;
    server.objects.create(configMap('b'));
    expect(existsSync(compactPath(path))).toBe(false);
    space.takesNewFiles = true;
    server.objects.create(configMap('c', 'x'.repeat(400_000)));
    server.objects.create(configMap('d'));
    expect(existsSync(compactPath(path))).toBe(true);
    await server.close();
    const second = await serverOn(path);
    expect(['a', 'b', 'c', 'd'].map((name) => second.objects.get('configmaps', name)?.metadata?.name)).toEqual(['a', 'b', 'c', 'd']);
    await second.close();
  });
});

describe('a file whose last write was torn', () => {
  it('has all changes before it, wherever that was', async () => {
    const path = newFile();
    const first = await serverOn(path);
    first.objects.create(configMap('a'));
    const before = statSync(path).size;
    first.objects.create(configMap('b', 'é'));
    await first.close();
    const bytes = readFileSync(path);
    for (let length = before; length < bytes.length; length += length < bytes.length - 15 ? 13 : 1) {
      writeFileSync(path, bytes.subarray(0, length));
      const server = await serverOn(path);
      const names = server.objects.list('configmaps', { namespace: 'default' }).map(({ metadata }) => metadata?.name);
      expect([length, names]).toEqual([length, ['a', 'kube-root-ca.crt']]);
      server.objects.create(configMap('c'));
      await server.close();
      const next = await serverOn(path);
      expect(next.objects.get('configmaps', 'c')).toBeDefined();
      await next.close();
    }
    for (const length of [0, 20]) {
      writeFileSync(path, bytes.subarray(0, length));
      await (await serverOn(path)).close();
    }
  });

  it('is refused if an earlier line is damaged', async () => {
    const path = newFile();
    const first = await serverOn(path);
    first.objects.create(configMap('a', 'precious'));
    first.objects.create(configMap('b'));
    await first.close();
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('precious', 'Precious'));
    await expect(serverOn(path)).rejects.toMatchObject({ code: 'CorruptStorage', message: expect.stringMatching(/line \d+ /) });
  });
});

describe('a file that is no log', () => {
  it.each([
    ['my notes', 'it is no log of a test API server'],
    ['{"kind":"List"}\n', 'it is no log of a test API server'],
    [`${'0'.repeat(8)} {"log":"test-api-server","version":2}\n`, 'it is a log of version 2, and this server reads version 1'],
  ])('stays as it is: %j', async (text, why) => {
    const path = newFile();
    writeFileSync(path, text);
    await expect(serverOn(path)).rejects.toMatchObject({ code: 'CorruptStorage', message: `read ${path}: ${why}` });
    expect([readFileSync(path, 'utf8'), readdirSync(join(path, '..'))]).toEqual([text, ['state.log']]);
  });
});

async function firstOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  return '';
}
