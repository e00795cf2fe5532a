import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestCluster } from '@nodeagent/test-cluster';
import { afterAll, expect, it } from 'vitest';
import { loadClusterSetup } from './cluster-setup.js';

const folder = mkdtempSync(join(tmpdir(), 'nodeagent-setup-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

it('gives images their programs by a module', async () => {
  const setUp = await loadClusterSetup(write('good.mjs', "export const setup = (cluster) => cluster.image('job:1', () => 7);"));
  const cluster = await createTestCluster();
  await setUp(cluster);
  const spec = { restartPolicy: 'Never' as const, containers: [{ name: 'main', image: 'job:1' }] };
  cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'job' }, spec });
  await cluster.until(() => cluster.pod('job')?.status?.phase === 'Failed');
  expect(cluster.pod('job')?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(7);
  await cluster.stop();
});

it.each([
  ['none.mjs', 'export const image = 1;', /^--setup: .*none\.mjs exports no function "setup"$/],
  ['broken.mjs', "throw new Error('no images');", /^--setup: failed to load .*broken\.mjs: no images$/],
])('reports the module %s', async (name, content, message) => {
  await expect(loadClusterSetup(write(name, content))).rejects.toThrow(message);
});

it('needs no module', async () => {
  expect(await loadClusterSetup(undefined)).toBeTypeOf('function');
});
