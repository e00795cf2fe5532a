import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pod } from '@nodeagent/api';
import { createCheckpointContainer, createNodeServer } from '@nodeagent/server';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from './scene.js';

const pod: Pod = { metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec: { containers: [{ name: 'c' }] } };
const path = '/checkpoint/default/p/c';
const archiveBytes = 1 << 20;

/** A server whose runtime writes an archive for each checkpoint that it is asked for. */
async function startServer({ availableBytes = 50n } = {}) {
  const rootDir = tempFolder();
  const archives = join(rootDir, 'checkpoints');
  const running = { now: 0, most: 0, calls: 0 };
  const checkpoint = createCheckpointContainer({
    rootDir,
    runtime: { getPod: async () => ({ containers: [{ id: 'id', name: 'c', state: 'running' }] }) as never },
    files: { makeDirectory: async (folder, mode) => void mkdirSync(folder, { recursive: true, mode }) },
    usage: async () => ({ availableBytes, capacityBytes: 100n }),
    cri: {
      async checkpointContainer({ location = '' }) {
        running.calls++;
        running.most = Math.max(running.most, ++running.now);
        await sleep(30);
        writeFileSync(`${location}.${running.calls}`, Buffer.alloc(archiveBytes));
        running.now--;
        return {};
      },
    },
  });
  const authority = createTestAuthority();
  const server = createNodeServer({
    nodeName: 'n1',
    pods: { pods: () => [pod] as never },
    https: {
      address: '127.0.0.1',
      port: 0,
      tls: () => ({ ...authority.issueServer(['localhost']), clientCA: authority.cert }),
      authentication: {},
      authorization: {
        mode: 'Webhook',
        // Monitoring may read; only the administrator may write checkpoints.
        subjectAccessReviews: {
          create: async ({ spec }) => ({
            spec,
            status: { allowed: spec.user === 'admin' || (spec.user === 'monitor' && spec.resourceAttributes?.verb === 'get') },
          }),
        },
      },
    },
    readOnly: { address: '127.0.0.1', port: 0 },
    checkpoint,
  });
  await server.start();
  onTestFinished(() => server.stop());
  const agent = new Agent({ keepAlive: true, maxSockets: 6 });
  onTestFinished(() => agent.destroy());
  const clientOf = (commonName: string) => ({
    agent,
    ca: authority.cert,
    servername: 'localhost',
    ...authority.issueClient({ commonName }),
  });
  const send = (request: typeof requestHttps | typeof requestHttp, port: number | undefined, method: string, options = {}) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, method, ...options }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      });
      sent.on('error', reject).end();
    });
  return {
    running,
    archives: () => readdirSync(archives),
    ofReadOnlyPort: (method: string) => send(requestHttp, server.ports.readOnly, method),
    of: (user: string | undefined, method = 'POST') =>
      send(requestHttps, server.ports.https, method, user === undefined ? { rejectUnauthorized: false } : clientOf(user)),
  };
}

describe('checkpoints that would fill the disk (CVE-2025-0426)', () => {
  it('are written for no client without the right, nor through the read-only port', async () => {
    const { running, of, ofReadOnlyPort } = await startServer();
    for (const method of ['POST', 'GET', 'PUT']) expect((await ofReadOnlyPort(method)).status).toBe(404);
    expect((await of(undefined)).status).toBe(401);
    expect((await of('monitor')).status).toBe(403);
    expect((await of('monitor', 'GET')).status).toBe(405);
    expect(running.calls).toBe(0);
  });

  it('are written one at a time, however many are asked for at once', async () => {
    const { running, archives, of } = await startServer();
    const answers = await Promise.all(Array.from({ length: 30 }, () => of('admin')));
    const written = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 500);
    expect(written.length + refused.length).toBe(30);
    expect(running.most).toBe(1);
    expect(archives()).toHaveLength(written.length);
    expect(written.length).toBeLessThan(25);
    expect(new Set(refused.map(({ body }) => body))).toEqual(
      new Set(['checkpointing of default/p/c failed (another checkpoint is in progress)']),
    );
    expect((await of('admin')).status).toBe(200);
  });

  it('are refused while less than a tenth of the disk is available', async () => {
    const { running, of } = await startServer({ availableBytes: 9n });
    const { status, body } = await of('admin');
    expect(status).toBe(500);
    expect(body).toMatch(/^checkpointing of default\/p\/c failed \(less than 10 % of the file system of .* is available\)$/);
    expect(running.calls).toBe(0);
  });
});
