import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeServer } from './node-server.js';
import { createTestServers, podOf } from './test-server.js';

const { admin, ask, serve, serving, stopAll } = createTestServers({ authority: createTestAuthority(), createClock: createVirtualClock });
afterEach(stopAll);

const client = admin;
const logsOf = (...pieces: string[]) => ({
  async *read() {
    for (const piece of pieces) yield Buffer.from(piece);
  },
});
const running = podOf('web', {
  status: {
    containerStatuses: [
      { name: 'app', ready: true, restartCount: 0, image: '', imageID: '', containerID: 'c://1', state: { running: {} } },
    ],
  },
});

describe('a node server', () => {
  it('serves pods and health', async () => {
    const { port } = await serve({ healthChecks: () => [{ name: 'syncloop', error: 'too long' }] });
    const pods = await ask(port, '/pods', { client });
    expect(pods.headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
    expect(JSON.parse(pods.body)).toEqual({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [podOf('web')] });
    expect(await ask(port, '/healthz', { client })).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[-]syncloop failed: reason withheld\n[+]threadpool ok\nhealthz check failed\n',
    });
    expect(await ask(port, '/healthz/ping', { client })).toMatchObject({ status: 200, body: 'ok' });
    expect(await ask(port, '/healthz?exclude=syncloop&verbose', { client })).toMatchObject({ status: 200 });
  });

  it('refuses paths without a configured source, and malformed paths', async () => {
    const { port } = await serve();
    for (const path of ['/stats/summary', '/containerLogs/ns/web/app', '/configz', '/ui/', '/metrics', '/logs/']) {
      expect((await ask(port, path, { client })).status, path).toBe(404);
    }
    expect((await ask(port, '/%zz', { client })).status).toBe(400);
    expect((await ask(port, '/pods', { client, method: 'POST', body: '{}' })).status).toBe(405);
  });

  it('serves only pods and metrics on the read-only port, without credentials', async () => {
    const { server } = await serve({ readOnly: { port: 0, address: '127.0.0.1' }, logs: logsOf('secret'), ui: () => {} });
    const { readOnly } = server.ports;
    expect((await ask(readOnly, '/pods', { secure: false })).status).toBe(200);
    expect(await ask(readOnly, '/containerLogs/ns/web/app', { secure: false })).toMatchObject({
      status: 405,
      body: 'Debug endpoints are disabled.\n',
    });
    expect((await ask(readOnly, '/ui/', { secure: false })).status).toBe(404);
  });

  it('serves only health on the healthz port, and retries until the port is free', async () => {
    const taken = createNodeServer({ nodeName: 'n0', pods: { pods: () => [] }, readOnly: { port: 0, address: '127.0.0.1' } });
    await taken.start();
    const port = taken.ports.readOnly ?? 0;
    const clock = createVirtualClock();
    const server = createNodeServer({ nodeName: 'n1', pods: { pods: () => [] }, healthz: { port }, clock });
    await server.start();
    const settled = async (isSo: () => boolean) => {
      while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
    };
    await settled(() => clock.pending === 1);
    await taken.stop();
    await clock.advance(5_000);
    await settled(() => server.ports.healthz === port);
    expect(await ask(port, '/healthz?verbose', { secure: false })).toMatchObject({
      body: '[+]ping ok\n[+]threadpool ok\nhealthz check passed\n',
    });
    expect((await ask(port, '/pods', { secure: false })).status).toBe(404);
    await server.stop();
    expect(clock.pending).toBe(0);
  });

  it('fails to start on a used port, and leaves no other port open', async () => {
    const { port, server } = await serve();
    const second = createNodeServer({
      nodeName: 'n2',
      pods: { pods: () => [] },
      readOnly: { port: 0, address: '127.0.0.1' },
      https: {
        address: '127.0.0.1',
        port,
        tls: () => serving,
        authentication: { anonymous: true },
        authorization: { mode: 'AlwaysAllow' },
      },
    });
    await expect(second.start()).rejects.toMatchObject({ code: 'ListenFailed', hint: expect.stringContaining('another port') });
    const left = second.ports.readOnly;
    await expect(ask(left, '/pods', { secure: false })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await second.stop();
    await server.stop();
    await expect(ask(port, '/pods', { client })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('starts and stops repeatedly', async () => {
    const { server, port } = await serve();
    await Promise.all([server.start(), server.start()]);
    expect(server.ports.https).toBe(port);
    await Promise.all([server.stop(), server.stop()]);
    await server.start();
    await expect(ask(port, '/pods', { client })).rejects.toThrow();
  });

  it('refuses headers beyond the limit', async () => {
    const { server } = await serve({ readOnly: { port: 0, address: '127.0.0.1' } });
    const answer = await ask(server.ports.readOnly, '/pods', { secure: false, headers: { x: 'x'.repeat(70_000) } });
    expect(answer.status).toBe(431);
  });

  it('names an invalid option', () => {
    const pods = { pods: () => [] };
    const https = { tls: () => ({ cert: '', key: '' }), authentication: {}, authorization: { mode: 'AlwaysAllow' as const } };
    for (const [field, options] of [
      ['nodeName', { nodeName: '', pods }],
      ['pods', { nodeName: 'n', pods: {} }],
      ['readOnly.port', { nodeName: 'n', pods, readOnly: { port: 65_536 } }],
      ['https.authorization.mode', { nodeName: 'n', pods, https: { ...https, authorization: { mode: 'ABAC' } } }],
      ['settings.maxConnections', { nodeName: 'n', pods, settings: { maxConnections: 0 } }],
    ] as const) {
      expect(() => createNodeServer(options as never), field).toThrow(
        expect.objectContaining({ code: 'InvalidOption', details: { field } }),
      );
    }
  });
});

describe('/containerLogs', () => {
  const pods = { pods: () => [running, podOf('waiting')] };

  it('passes the requested log options to the log reader', async () => {
    const asked: unknown[] = [];
    const logs = {
      async *read(containerId: string, { signal: _signal, ...request }: { signal: AbortSignal }) {
        asked.push([containerId, request]);
        yield Buffer.from('hello\n');
      },
    };
    const { port } = await serve({ pods, logs });
    const query = 'tailLines=5&limitBytes=9&timestamps=true&sinceSeconds=60&follow';
    expect(await ask(port, `/containerLogs/ns/web/app?${query}`, { client })).toMatchObject({
      status: 200,
      body: 'hello\n',
      headers: { 'transfer-encoding': 'chunked' },
    });
    const since = new Date(Date.UTC(2026, 0, 1) - 60_000).toISOString();
    expect(asked).toEqual([['c://1', { tailLines: 5, limitBytes: 9, timestamps: true, since, follow: true, streams: 'All' }]]);
  });

  it('refuses unavailable logs with the kubelet’s messages', async () => {
    const { port } = await serve({ pods, logs: logsOf('x') });
    const answer = async (path: string) => {
      const { status, body } = await ask(port, `/containerLogs/${path}`, { client });
      return `${status} ${body}`;
    };
    expect(await answer('ns/none/app')).toBe('404 pod "none" does not exist');
    expect(await answer('other/web/app')).toBe('404 pod "web" does not exist');
    expect(await answer('ns/web/none')).toBe('404 container "none" not found in pod "web"');
    expect(await answer('ns/web/app?tailLines=-1')).toBe('422 {"message": "Invalid request."}');
    expect(await answer('ns/web/app?previous=true')).toBe('400 previous terminated container "app" in pod "web" not found');
    expect(await answer('ns/waiting/app')).toBe('400 container "app" in pod "waiting" is not available');
  });

  it('appends an error to the body, because the status 200 is already sent', async () => {
    const failing = {
      async *read() {
        yield Buffer.from('part\n');
        throw new Error('boom');
      },
    };
    const { port } = await serve({ pods, logs: failing });
    expect(await ask(port, '/containerLogs/ns/web/app', { client })).toMatchObject({ status: 200, body: 'part\nboom' });
  });

  it('ends with the client and with the server, and reads only as fast as each of 200 clients', async () => {
    let produced = 0;
    let open = 0;
    const piece = Buffer.alloc(64 * 1024, 'x');
    const logs = {
      async *read() {
        open++;
        try {
          for (;;) {
            produced++;
            yield piece;
            await new Promise((resolve) => setImmediate(resolve));
          }
        } finally {
          open--;
        }
      },
    };
    const { server } = await serve({ pods, logs, readOnly: { port: 0, address: '127.0.0.1' } }, { authentication: { anonymous: true } });
    const port = server.ports.https ?? 0;
    const { request } = await import('node:https');
    const stuck = () =>
      new Promise<{ destroy(): void }>((resolve, reject) => {
        const asked = request({ host: '127.0.0.1', port, path: '/containerLogs/ns/web/app', rejectUnauthorized: false, agent: false });
        asked.on('error', reject);
        asked.on('response', (response) => {
          response.on('error', () => {});
          resolve({ destroy: () => asked.destroy() });
        });
        asked.end();
      });
    const memoryBefore = process.memoryUsage.rss();
    const clients: { destroy(): void }[] = [];
    // Few at a time, each within the time that a handshake may take.
    while (clients.length < 200) clients.push(...(await Promise.all(Array.from({ length: 10 }, stuck))));
    const settled = async (isSo: () => boolean) => {
      while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    let before = -1;
    await settled(() => {
      const isStill = produced === before;
      before = produced;
      return isStill;
    });
    expect(open).toBe(200);
    // 64 KiB pieces: what the sockets' own buffers hold, far from without end.
    expect(produced / 200).toBeLessThan(300);
    expect(process.memoryUsage.rss() - memoryBefore).toBeLessThan(200e6);
    for (const each of clients.slice(0, 100)) each.destroy();
    await settled(() => open === 100);
    await server.stop();
    await settled(() => open === 0);
  });
});
