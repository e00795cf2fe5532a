import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createNodeServer } from '@nodeagent/server';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { expect, it, onTestFinished } from 'vitest';
import { startSwapper } from './swapper.js';

const attackMs = 2_000;

it('/logs serves nothing outside its folder while a folder in it is exchanged for a link', async () => {
  const root = mkdtempSync(join(tmpdir(), 'attack-'));
  onTestFinished(() => void execFileSync('rm', ['-rf', root]));
  const [logs, host] = [join(root, 'logs'), join(root, 'host')];
  mkdirSync(logs);
  mkdirSync(join(host, 'inner'), { recursive: true });
  writeFileSync(join(host, 'inner', 'file-0'), 'secret');

  const authority = createTestAuthority();
  const client = authority.issueClient({ commonName: 'admin', organizations: ['system:masters'] });
  const material = { ...authority.issueServer(['localhost']), clientCA: authority.cert };
  const server = createNodeServer({
    nodeName: 'n1',
    pods: { pods: () => [] },
    https: { address: '127.0.0.1', port: 0, tls: () => material, authentication: {}, authorization: { mode: 'AlwaysAllow' } },
    systemLogsDir: logs,
  });
  await server.start();
  const agent = new Agent({ keepAlive: true, ca: authority.cert, servername: 'localhost', ...client });
  onTestFinished(async () => {
    agent.destroy();
    await server.stop();
  });
  const get = () =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const asked = request({ agent, host: '127.0.0.1', port: server.ports.https, path: '/logs/folder/inner/file-0' }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      });
      asked.on('error', reject);
      asked.end();
    });

  const swapper = await startSwapper(join(logs, 'folder'), host);
  const statuses = new Map<number | undefined, number>();
  const bodies = new Set<string>();
  const end = performance.now() + attackMs;
  const ask = async () => {
    while (performance.now() < end) {
      const { status, body } = await get();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      bodies.add(body);
    }
  };
  await Promise.all(Array.from({ length: 4 }, ask));
  expect(await swapper.stop()).toBeGreaterThan(1_000);
  // Both happened: the file of the folder was served, and the link was refused.
  expect([...statuses.keys()].sort()).toEqual([200, 404]);
  expect([...bodies].sort()).toEqual(['', '404 page not found\n']);
});
