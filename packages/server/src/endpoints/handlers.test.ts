import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createMetricsRegistry } from '../metrics/registry.js';
import type { RequestedStreams } from '../ports.js';
import { createTestServers, podOf } from '../test-server.js';

const { admin: client, ask, serve, stopAll } = createTestServers({ authority: createTestAuthority(), createClock: createVirtualClock });
afterEach(stopAll);

const plain = async (port: number, path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) => {
  const { status, body } = await ask(port, path, { client, ...options });
  return `${status} ${body}`;
};

describe('/stats and /metrics', () => {
  it('return the pages of their sources, or their errors', async () => {
    let failure: Error | undefined;
    const page = async (text: string) => {
      if (failure) throw failure;
      return text;
    };
    const stats = {
      summary: ({ onlyCpuAndMemory }: { onlyCpuAndMemory: boolean }) => page(`{"reduced":${onlyCpuAndMemory}}`),
      containerMetrics: () => page('container 1\n'),
      resourceMetrics: () => page('resource 1\n'),
    };
    const registry = createMetricsRegistry();
    registry.counter({ name: 'prober_probe_total', help: 'Probes.' }).inc();
    const { port } = await serve({ stats, registry });
    expect(await plain(port, '/stats/summary')).toBe('200 {"reduced":false}');
    expect(await plain(port, '/stats/summary?only_cpu_and_memory=true', { method: 'POST' })).toBe('200 {"reduced":true}');
    expect(await plain(port, '/stats/summary?only_cpu_and_memory=true&only_cpu_and_memory=true')).toBe('200 {"reduced":false}');
    expect(await plain(port, '/metrics/cadvisor')).toBe('200 container 1\n');
    expect(await plain(port, '/metrics/resource')).toBe('200 resource 1\n');
    expect(await plain(port, '/metrics/probes')).toMatch(/^200 # HELP prober_probe_total Probes/);
    const { headers, body } = await ask(port, '/metrics', { client });
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(body).toContain('kubelet_http_requests_total{method="POST",path="stats",server_type="readwrite",long_running="false"} 1\n');
    expect(body).not.toContain('prober_');
    expect(body).toMatch(/\nprocess_resident_memory_bytes \d{7,}\n/);
    await ask(port, '/healthz', { client });
    expect((await ask(port, '/metrics/slis', { client })).body).toContain('kubernetes_healthcheck{name="ping",type="healthz"} 1\n');
    failure = new Error('no cgroup');
    expect(await plain(port, '/stats/summary')).toBe('500 Internal Error: no cgroup');
    expect(await plain(port, '/metrics/resource')).toBe('500 An error has occurred while serving metrics:\n\nno cgroup\n');
  });
});

describe('/exec, /attach and /portForward', () => {
  const failing = (code: string, message: string) => Promise.reject(Object.assign(new Error(message), { code }));
  const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };

  async function start(fail?: () => Promise<never>) {
    const asked: unknown[] = [];
    const relayed: { target: string; authorization: string | undefined; head: number }[] = [];
    const url = async (...what: unknown[]) => {
      asked.push(what);
      return (await fail?.()) ?? new URL('http://127.0.0.1:1/exec/token');
    };
    const { port } = await serve({
      streaming: {
        execUrl: (pod, container, command, streams: RequestedStreams) => url('exec', pod.metadata?.name, container, command, streams),
        attachUrl: (pod, container, streams: RequestedStreams) => url('attach', pod.metadata?.name, container, streams),
        portForwardUrl: (pod, ports) => url('portForward', pod.metadata?.name, ports),
      },
      relay({ request, socket, head, target }) {
        relayed.push({ target: target.href, authorization: request.headers.authorization, head: head.length });
        socket.end('HTTP/1.1 418 Teapot\r\nContent-Length: 7\r\nConnection: close\r\n\r\nrelayed');
      },
      pods: { pods: () => [podOf('web')], translatePodUid: (uid) => (uid === 'mirror' ? 'uid-web' : uid) },
    });
    const post = (path: string, headers: Record<string, string> = upgrade) => plain(port, path, { method: 'POST', headers });
    return { port, asked, relayed, post };
  }

  it('get the stream URL from the runtime, and relay the connection without credentials', async () => {
    const { asked, relayed, post } = await start();
    const query = 'command=sh&command=-c&command=a%20b&input=1&output=1&error=1&tty=1';
    expect(await post(`/exec/ns/web/app?${query}`, { ...upgrade, authorization: 'Bearer x' })).toBe('418 relayed');
    expect(await post('/attach/ns/web/mirror/app?output=1&error=1')).toBe('418 relayed');
    expect(await post('/portForward/ns/web')).toBe('418 relayed');
    expect(asked).toEqual([
      ['exec', 'web', 'app', ['sh', '-c', 'a b'], { stdin: true, stdout: true, stderr: false, tty: true }],
      ['attach', 'web', 'app', { stdin: false, stdout: true, stderr: true, tty: false }],
      ['portForward', 'web', []],
    ]);
    expect(relayed).toEqual(Array(3).fill({ target: 'http://127.0.0.1:1/exec/token', authorization: undefined, head: 0 }));
  });

  it('refuse with the kubelet’s messages', async () => {
    const { post, port } = await start();
    expect(await post('/exec/ns/web/app')).toBe('400 you must specify at least 1 of stdin, stdout, stderr');
    expect(await post('/exec/ns/web/app?error=1&tty=1')).toBe('400 you must specify at least 1 of stdin, stdout, stderr');
    expect(await post('/exec/other/web/app?output=1')).toBe('404 pod does not exist');
    expect(await post('/exec/ns/web/other-uid/app?output=1')).toBe('500 container not found ("app")');
    expect(await post('/portForward/ns/none')).toBe('404 pod does not exist');
    expect(await post('/portForward/ns/web/other-uid')).toBe('404 pod not found');
    expect(await plain(port, '/exec/ns/web/app?output=1')).toBe('500 Upgrade request required');
    expect(await post('/pods')).toBe('405 405: Method Not Allowed');
    expect(await plain(port, '/healthz', { headers: upgrade })).toBe('200 ok');
  });

  it('return the errors of the runtime', async () => {
    const missing = await start(() => failing('CRI_NOT_FOUND', 'no such container'));
    expect(await missing.post('/exec/ns/web/app?output=1')).toBe('404 no such container');
    const busy = await start(() => failing('CRI_RESOURCE_EXHAUSTED', 'too many'));
    const answer = await ask(busy.port, '/exec/ns/web/app?output=1', { client, method: 'POST', headers: upgrade });
    expect(answer).toMatchObject({ status: 429, body: 'too many', headers: { 'retry-after': '60' } });
    const away = await start(() => failing('CRI_UNAVAILABLE', 'away'));
    expect(await away.post('/attach/ns/web/app?output=1')).toBe('500 away');
  });

  it('read the ports of WebSocket clients from the query', async () => {
    const { asked, port } = await start();
    const webSocket = (protocol: string) => ({ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': protocol });
    const get = (query: string, protocol = 'v4.channel.k8s.io') =>
      plain(port, `/portForward/ns/web?${query}`, { headers: webSocket(protocol) });
    expect(await get('port=80,443&port=8080')).toBe('418 relayed');
    expect(await get('', 'SPDY/3.1+portforward.k8s.io')).toBe('418 relayed');
    expect(asked).toEqual([
      ['portForward', 'web', [80, 443, 8080]],
      ['portForward', 'web', []],
    ]);
    expect(await get('')).toBe('400 query parameter "port" is required');
    for (const wrong of ['0', '65536', 'x', '80,']) expect(await get(`port=${wrong}`), wrong).toMatch(/^400 invalid port/);
  });
});

describe('/run, /checkpoint, /configz, /runningpods and /debug', () => {
  it('answer as a kubelet does', async () => {
    const asked: unknown[] = [];
    const { port, clock } = await serve({
      runInContainer: async (_pod, container, command) => {
        if (container === 'broken') throw new Error('exited with 1');
        return Buffer.from(command.join('|'));
      },
      checkpoint: async (pod, container, timeout) => {
        asked.push([pod.metadata?.name, container, timeout]);
        if (timeout === 1n) throw new Error('no CRIU');
        return '/checkpoints/1.tar';
      },
      configz: () => ({ kind: 'KubeletConfiguration' }),
      runningPods: async () => [{ uid: 'u', name: 'p', namespace: 'n', containers: [{ name: 'c', image: 'i' }] }],
      setVerbosity: (level) => asked.push(level),
    });
    const post = (path: string) => plain(port, path, { method: 'POST' });
    expect(await post('/run/ns/web/app?cmd=ls%20-l%20%20x')).toBe('200 ls|-l||x');
    expect(await post('/run/ns/web/broken?cmd=ls')).toBe('500 exited with 1');
    expect(await post('/run/ns/none/app?cmd=ls')).toBe('404 pod does not exist');
    expect(await post('/checkpoint/ns/web/app?timeout=7&timeout=9')).toBe('200 {"items":["/checkpoints/1.tar"]}');
    expect(await post('/checkpoint/ns/web/app?timeout=1')).toBe('500 checkpointing of ns/web/app failed (no CRIU)');
    expect(await post('/checkpoint/ns/web/app?timeout=1s')).toBe('404 cannot parse value of timeout parameter');
    expect(await post('/checkpoint/ns/web/none')).toBe('404 container none does not exist');
    expect(await post('/checkpoint/ns/none/app')).toBe('404 pod does not exist');
    expect(await plain(port, '/configz')).toBe('200 {"kubeletconfig":{"kind":"KubeletConfiguration"}}');
    expect(JSON.parse((await ask(port, '/runningpods/', { client })).body).items).toEqual([
      { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { containers: [{ name: 'c', image: 'i' }] }, status: {} },
    ]);
    const put = (body: string) => plain(port, '/debug/flags/v', { method: 'PUT', body });
    expect(await put('4')).toBe('200 successfully set klog.logging.verbosity to 4');
    expect(await put('x'.repeat(100_000))).toMatch(/^400 /);
    expect(await plain(port, '/debug/flags/v')).toBe('406 unsupported http method');
    expect(asked).toEqual([['web', 'app', 9n], ['web', 'app', 1n], 4]);
    expect(await plain(port, '/debug/pprof/')).toMatch(/^200 profile\?seconds=30.*\nheap\?seconds=30/);
    expect(await plain(port, '/debug/pprof/none')).toBe('404 Unknown profile\n');
    expect(await plain(port, '/debug/pprof/profile?seconds=0')).toMatch(/^400 /);
    const profile = plain(port, '/debug/pprof/profile?seconds=5');
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await plain(port, '/debug/pprof/heap')).toMatch(/^500 .*already in use/);
    await clock.advance(5_000);
    expect(JSON.parse((await profile).slice('200 '.length))).toHaveProperty('nodes');
  });
});

describe('/flagz and /statusz', () => {
  const object = (kind: string) => ({ accept: `application/json;v=v1beta1;g=config.k8s.io;as=${kind}` });
  const warning =
    'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

  it('return the flags as text or as an object', async () => {
    const { port } = await serve({ flagz: () => ({ 'root-dir': '/var', port: '10250' }) });
    expect(await plain(port, '/flagz')).toBe(`200 kubelet flags\n${warning}\n\nport=10250\nroot-dir=/var\n`);
    expect(JSON.parse((await ask(port, '/flagz', { client, headers: object('Flagz') })).body)).toEqual({
      kind: 'Flagz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'kubelet' },
      flags: { port: '10250', 'root-dir': '/var' },
    });
    expect((await ask(port, '/statusz', { client })).status).toBe(404);
  });

  it('return version and uptime as text or as an object', async () => {
    const { port, clock } = await serve({ statusz: { binaryVersion: '1.2.3', emulationVersion: '1.36' }, flagz: () => ({}) });
    await clock.advance(3_723_900);
    expect(await plain(port, '/statusz')).toBe(
      `200 kubelet statusz\n${warning}\n\nStarted: Thu Jan  1 00:00:00 UTC 2026\nUp: 1 hr 02 min 03 sec\nBinary version: 1.2.3\nEmulation version: 1.36\nPaths: /flagz /healthz /statusz\n`,
    );
    const answer = await ask(port, '/statusz', { client, headers: object('Statusz') });
    expect(answer.headers['content-type']).toBe('application/json');
    expect(JSON.parse(answer.body)).toEqual({
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'kubelet' },
      startTime: '2026-01-01T00:00:00Z',
      uptimeSeconds: 3_723,
      binaryVersion: '1.2.3',
      emulationVersion: '1.36',
      paths: ['/flagz', '/healthz', '/statusz'],
    });
  });

  it.each([
    ['application/json', 406],
    ['application/json;v=v2;g=config.k8s.io;as=Statusz', 406],
    ['application/json;v=v1beta1;g=config.k8s.io;as=Flagz', 406],
    ['text/html, text/plain;q=0.9', 200],
    ['*/*', 200],
  ])('answer Accept: %s with %i', async (accept, status) => {
    const { port } = await serve({ statusz: { binaryVersion: '1' } });
    expect((await ask(port, '/statusz', { client, headers: { accept } })).status).toBe(status);
  });

  it('are not found while debugging handlers are off', async () => {
    const { port } = await serve({ statusz: { binaryVersion: '1' }, settings: { enableDebuggingHandlers: false } });
    expect((await ask(port, '/statusz', { client })).status).toBe(404);
  });
});

describe('/logs', () => {
  it('show the files and folders below the log folder only', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'logs-'));
    try {
      const root = join(directory, 'log');
      mkdirSync(join(root, 'pods'), { recursive: true });
      writeFileSync(join(root, 'pods', 'a b.log'), 'hello\n');
      writeFileSync(join(root, 'empty'), '');
      writeFileSync(join(root, '<i>'), '');
      writeFileSync(join(directory, 'secret'), 'secret');
      symlinkSync(join(root, 'pods', 'a b.log'), join(root, 'inside'));
      symlinkSync(join(directory, 'secret'), join(root, 'outside'));
      execFileSync('mkfifo', [join(root, 'pipe')]);
      const { port } = await serve({ systemLogsDir: root });
      expect(await plain(port, '/logs/pods/a%20b.log')).toBe('200 hello\n');
      expect(await plain(port, '/logs/inside')).toBe('200 hello\n');
      expect(await plain(port, '/logs/empty')).toBe('200 ');
      for (const path of ['outside', 'none', 'pipe', '../secret', '%2e%2e/secret', 'pods/..%2f..%2fsecret', 'a%00b', 'empty/x']) {
        expect(await plain(port, `/logs/${path}`), path).toMatch(/^404 /);
      }
      const listing = await plain(port, '/logs/');
      expect(listing).toContain('<a href="pods/">pods/</a>\n');
      expect(listing).toContain('<a href="%3Ci%3E">&lt;i&gt;</a>\n');
      expect(await ask(port, '/logs/pods?x=1', { client })).toMatchObject({ status: 301, headers: { location: 'pods/' } });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
