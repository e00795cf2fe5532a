import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { machineNetwork } from '../http/machine-network.js';
import { createTestApiServer } from '../test-api-server.js';
import { type FileStorageOptions, fileStorage } from './file-storage.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'file-storage-'));
  folders.push(folder);
  return join(folder, 'state.log');
}

const serverOn = (path: string, options?: FileStorageOptions) =>
  createTestApiServer({ network: machineNetwork, storage: fileStorage(path, options) });
const configMap = (name: string, text = '') => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } });

describe('a server with a file', () => {
  it('continues where the last one stopped', async () => {
    const path = newFile();
    const first = serverOn(path);
    first.objects.create(configMap('a', 'kept'));
    first.objects.create(configMap('b'));
    first.objects.delete('configmaps', 'b');
    const { revision, caCertificate } = first;
    const objects = first.objects.list('configmaps');
    const token = { url: '/api/v1/namespaces/default/serviceaccounts/default/token', method: 'POST', body: { spec: {} } };
    const { status } = JSON.parse((await first.handle(token)).body as string);
    await first.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);

    const second = serverOn(path);
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
    const first = serverOn(path);
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
    const second = serverOn(path);
    expect(second.objects.get('widgets', 'w')).toBeDefined();
    await second.close();
  });

  it('compacts the file while it runs, without losing a change', async () => {
    const path = newFile();
    const first = serverOn(path, { minCompactionBytes: 60_000 });
    for (let n = 0; n < 300; n++) {
      const name = `m${n % 10}`;
      if (first.objects.get('configmaps', name)) first.objects.delete('configmaps', name);
      first.objects.create(configMap(name, 'x'.repeat(n)));
    }
    expect(statSync(path).size).toBeLessThan(200_000);
    const [objects, { revision }] = [first.objects.list('configmaps'), first];
    await first.close();
    const second = serverOn(path);
    expect([second.objects.list('configmaps'), second.revision]).toEqual([objects, revision]);
    await second.close();
  });
});

describe('a file whose last write was torn', () => {
  it('has all changes before it, wherever that was', async () => {
    const path = newFile();
    const first = serverOn(path);
    first.objects.create(configMap('a'));
    const before = statSync(path).size;
    first.objects.create(configMap('b', 'é'));
    await first.close();
    const bytes = readFileSync(path);
    for (let length = before; length < bytes.length; length += length < bytes.length - 15 ? 13 : 1) {
      writeFileSync(path, bytes.subarray(0, length));
      const server = serverOn(path);
      const names = server.objects.list('configmaps', { namespace: 'default' }).map(({ metadata }) => metadata?.name);
      expect([length, names]).toEqual([length, ['a', 'kube-root-ca.crt']]);
      server.objects.create(configMap('c'));
      await server.close();
      const next = serverOn(path);
      expect(next.objects.get('configmaps', 'c')).toBeDefined();
      await next.close();
    }
  });

  it('is refused if an earlier line is damaged', () => {
    const path = newFile();
    const first = serverOn(path);
    first.objects.create(configMap('a', 'precious'));
    first.objects.create(configMap('b'));
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('precious', 'Precious'));
    expect(() => serverOn(path)).toThrow(expect.objectContaining({ code: 'CorruptStorage', message: expect.stringMatching(/line \d+ /) }));
  });
});

async function firstOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  return '';
}
