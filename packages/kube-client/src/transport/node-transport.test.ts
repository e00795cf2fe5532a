import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { apiStatusOf, type Pod } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClientOptions } from '../client.js';
import { loadKubeconfig } from '../config/load-kubeconfig.js';
import { connectKubeClient } from '../connect.js';
import { createTestAuthority, type KeyPair, type TestAuthority } from '../fixtures/certificates.js';
import { type Handler, sendJson, startServer } from '../fixtures/real-server.js';
import { bookmark, podList, podObject, statusBody, watchLine } from '../fixtures/scripted-transport.js';

let authority: TestAuthority;
let server: KeyPair;
const open: { close(): Promise<void> }[] = [];

beforeAll(() => {
  authority = createTestAuthority();
  server = authority.issue('server');
});
afterAll(() => authority.remove());
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const key = { namespace: 'default', name: 'a' };

async function setUp(handler: Handler, options: Partial<KubeClientOptions> = {}) {
  const real = await startServer(handler);
  open.push(real);
  const client = connectKubeClient({ cluster: { server: real.url }, random: () => 0, ...options });
  return { real, client };
}

async function setUpSecure(handler: Handler) {
  const real = await startServer(handler, { ...server, ca: authority.ca, requestCert: true, rejectUnauthorized: false });
  open.push(real);
  return real;
}

const peerName = (socket: Socket) => (socket as TLSSocket).getPeerCertificate().subject?.CN;

describe('over TLS', () => {
  const whoAmI: Handler = (request, response) => sendJson(response, { kind: 'Who', name: peerName(request.socket) });
  const write = (name: string, text: string) => {
    const file = join(authority.folder, name);
    writeFileSync(file, text);
    return file;
  };

  it('asks for the client certificate at each request, and ends connections with the previous one without losing a request', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const watchers: string[] = [];
    const real = await setUpSecure(async (request, response) => {
      const name = String(peerName(request.socket) ?? 'anonymous');
      if (request.url?.includes('watch=true')) {
        watchers.push(name);
        response.writeHead(200);
        response.write(watchLine('ADDED', podObject(`of-${name}`, String(watchers.length + 1))));
        return;
      }
      if (request.url?.startsWith('/api/v1/pods')) return sendJson(response, podList(1, []));
      if (request.url === '/slow') await held;
      sendJson(response, { name });
    });
    let certificate: KeyPair | undefined = authority.issue('node-1');
    const cluster = { server: real.url, certificateAuthority: { data: authority.ca }, identity: { token: 'unused' } };
    const client = connectKubeClient({ cluster, random: () => 0, clientCertificate: () => certificate });
    const name = async (path: string) => JSON.parse(await client.raw('GET', path)).name;
    const informer = client.pods.informer();
    const seen = (pod: string) => expect.poll(() => informer.get({ namespace: 'default', name: pod })).toBeDefined();
    await informer.start();
    await seen('of-node-1');
    const slow = name('/slow');
    expect(await name('/who')).toBe('node-1');
    await client.closeOldConnections();
    expect(watchers).toEqual(['node-1']);

    certificate = authority.issue('node-2');
    await client.closeOldConnections();
    await seen('of-node-2');
    expect(await name('/who')).toBe('node-2');
    release();
    expect(await slow).toBe('node-1');
    await expect.poll(() => real.connections.filter(({ destroyed }) => !destroyed)).toHaveLength(2);

    certificate = undefined;
    expect(await name('/who')).toBe('anonymous');
    expect(watchers).toEqual(['node-1', 'node-2']);
    await informer.stop();
  });

  it('presents the client certificate, and after a minute the rotated one on a new connection', async () => {
    const real = await setUpSecure(whoAmI);
    const clock = createVirtualClock();
    const [one, two] = [authority.issue('node-1'), authority.issue('node-2')];
    write('pair.pem', one.cert + one.key);
    const kubeconfig = write(
      'kubeconfig',
      `{clusters: [{name: k, cluster: {server: "${real.url}", certificate-authority: ca.crt}}], current-context: c,
        users: [{name: u, user: {client-certificate: pair.pem, client-key: pair.pem}}], contexts: [{name: c, context: {cluster: k, user: u}}]}`.replace(
        /^{/,
        '# yaml\n{',
      ),
    );
    const client = connectKubeClient({ cluster: await loadKubeconfig({ path: kubeconfig, env: {} }), clock });
    const name = async () => JSON.parse(await client.raw('GET', '/who')).name;
    expect(await name()).toBe('node-1');
    write('pair.pem', two.cert + two.key);
    expect(await name()).toBe('node-1');
    await clock.advance(60_000);
    expect(await name()).toBe('node-2');
    expect(await name()).toBe('node-2');
    expect(real.connections).toHaveLength(2);
    write('pair.pem', one.cert + two.key);
    await clock.advance(60_000);
    await expect(name()).rejects.toMatchObject({ code: 'CredentialFile', retryable: true });
    write('pair.pem', one.cert + one.key);
    expect(await name()).toBe('node-1');
  });

  it("trusts only the cluster's certificate authority and server name", async () => {
    const real = await setUpSecure(whoAmI);
    const call = (cluster: object) => connectKubeClient({ cluster: { server: real.url, ...cluster } }).version();
    const certificateAuthority = { data: authority.ca };
    await expect(call({})).rejects.toMatchObject({
      code: 'ApiUnreachable',
      details: { stage: 'connect' },
      hint: 'check certificate-authority and tls-server-name of the cluster',
    });
    await expect(call({ certificateAuthority, tlsServerName: 'other' })).rejects.toMatchObject({ code: 'ApiUnreachable' });
    expect(await call({ certificateAuthority, tlsServerName: 'api.test' })).toMatchObject({ kind: 'Who' });
    expect(await call({ insecureSkipTlsVerify: true })).toMatchObject({ kind: 'Who' });
  });

  it('connects through a proxy by CONNECT', async () => {
    const real = await setUpSecure(whoAmI);
    const asked: (string | undefined)[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket: Socket) => {
      asked.push(request.url, request.headers['proxy-authorization']);
      if (asked.length > 2) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const upstream = connect(real.port, '127.0.0.1');
      socket.pipe(upstream).pipe(socket);
      for (const each of [socket, upstream]) each.on('error', () => {});
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const proxyUrl = `http://me:p%20w@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const client = connectKubeClient({ cluster: { server: real.url, certificateAuthority: { data: authority.ca }, proxyUrl } });
    await client.version();
    await client.version();
    expect(asked).toEqual([`127.0.0.1:${real.port}`, `Basic ${Buffer.from('me:p w').toString('base64')}`]);
    client.closeConnections();
    await expect(client.version()).rejects.toMatchObject({ code: 'ApiUnreachable', message: expect.stringContaining('responded 407') });
    proxy.closeAllConnections();
    proxy.close();
  });

  it('runs the credential plugin of a kubeconfig, and runs it again after a 401', async () => {
    const real = await setUpSecure((request, response) => {
      if (request.headers.authorization === 'Bearer token-2') sendJson(response, podObject('a', 1));
      else sendJson(response, statusBody(401, 'Unauthorized'), 401);
    });
    const counter = write('count', '0');
    const script = write(
      'login',
      `#!${process.execPath}
const fs = require('node:fs');
const count = Number(fs.readFileSync(process.env.COUNTER, 'utf8')) + 1;
fs.writeFileSync(process.env.COUNTER, String(count));
const { apiVersion, kind, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
if (spec.cluster.server !== process.argv[2]) throw new Error('another cluster');
console.log(JSON.stringify({ apiVersion, kind, status: { token: 'token-' + count } }));
`,
    );
    chmodSync(script, 0o755);
    const kubeconfig = write(
      'exec-kubeconfig',
      JSON.stringify({
        'current-context': 'c',
        clusters: [{ name: 'k', cluster: { server: real.url, 'certificate-authority': 'ca.crt' } }],
        contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
        users: [
          {
            name: 'u',
            user: {
              exec: {
                apiVersion: 'client.authentication.k8s.io/v1',
                interactiveMode: 'Never',
                command: './login',
                args: [real.url],
                env: [{ name: 'COUNTER', value: counter }],
                provideClusterInfo: true,
              },
            },
          },
        ],
      }),
    );
    const client = connectKubeClient({ cluster: await loadKubeconfig({ path: kubeconfig, env: {} }) });
    expect((await client.pods.get(key)).metadata?.name).toBe('a');
    const missing = connectKubeClient({
      cluster: {
        server: real.url,
        identity: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            command: join(authority.folder, 'none'),
            args: [],
            env: {},
            provideClusterInfo: false,
            installHint: 'install it',
          },
        },
      },
    });
    await expect(missing.version()).rejects.toMatchObject({ code: 'ExecPlugin', hint: 'install it' });
  });
});

describe('connections', () => {
  it('are reused by later calls', async () => {
    const { real, client } = await setUp((_request, response) => sendJson(response, podObject('a', 1)));
    for (let call = 0; call < 20; call++) await client.pods.patch(key, { status: {} });
    expect(real.connections).toHaveLength(1);
    await Promise.all(Array.from({ length: 5 }, () => client.pods.get(key)));
    expect(real.connections.length).toBeLessThanOrEqual(6);
  });

  it('that are lost lead to retries of reads, not of writes', async () => {
    let cuts = 1;
    const { client } = await setUp((request, response) => {
      if (cuts-- > 0) request.socket.destroy();
      else sendJson(response, podObject('a', 1));
    });
    expect((await client.pods.get(key)).metadata?.name).toBe('a');
    cuts = 1;
    await expect(client.pods.patch(key, {})).rejects.toMatchObject({ code: 'ApiUnreachable', details: { stage: 'response' } });
  });

  it('that the server has closed while they were idle are not used, so that no write is lost', async () => {
    const answerWithPod: Handler = (_request, response) => sendJson(response, podObject('a', 1));
    for (const real of [(await setUp(answerWithPod)).real, await setUpSecure(answerWithPod)]) {
      const client = connectKubeClient({ cluster: { server: real.url, certificateAuthority: { data: authority.ca } } });
      await client.pods.patch(key, {});
      // Closed at once for the kernel, and for this process when it next reads the connection.
      real.connections[0]?.destroy();
      await client.pods.patch(key, {});
      expect(real.connections).toHaveLength(2);
    }
  });

  it('that are lost within a response reject the call', async () => {
    let count = 0;
    const { client } = await setUp((request, response) => {
      if (count++ > 0) return sendJson(response, podList(1, []));
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"kind":"PodList",');
      setImmediate(() => request.socket.destroy());
    });
    expect((await client.pods.list()).resourceVersion).toBe('1');
  });

  it('to a closed port are refused', async () => {
    const { real, client } = await setUp(() => {});
    await real.close();
    open.length = 0;
    await expect(client.pods.get(key)).rejects.toMatchObject({ code: 'ApiUnreachable', retryable: true, details: { stage: 'connect' } });
  });

  it('that hang time out', async () => {
    const { client } = await setUp(() => {}, { timeouts: { requestMs: 100 } });
    await expect(client.pods.create({ metadata: key })).rejects.toMatchObject({ code: 'ApiUnreachable', details: { stage: 'timeout' } });
  });

  it('close when the signal aborts, also within a response', async () => {
    const controller = new AbortController();
    const { real, client } = await setUp((_request, response) => {
      response.writeHead(200);
      response.write('{');
      setImmediate(() => controller.abort(new Error('enough')));
    });
    await expect(client.pods.get(key, { signal: controller.signal })).rejects.toThrow('enough');
    const [socket] = real.connections;
    if (socket?.destroyed === false) await new Promise((resolve) => socket.once('close', resolve));
    expect(socket?.destroyed).toBe(true);
  });

  it('carry compressed lists', async () => {
    const { real, client } = await setUp((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip');
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(podList(3, [podObject('a', 1), podObject('b', 2)]))));
    });
    expect((await client.pods.list()).items).toHaveLength(2);
    expect((await client.pods.list()).items).toHaveLength(2);
    expect(real.connections).toHaveLength(1);
  });

  it('limit the decompressed size of a response', async () => {
    const { client } = await setUp(
      (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync('x'.repeat(1_000_000)));
      },
      { maxResponseBytes: 100_000 },
    );
    await expect(client.pods.list()).rejects.toMatchObject({ code: 'ResponseTooLarge' });
  });

  it('that are lost within a compressed response reject the call', async () => {
    let count = 0;
    const { client } = await setUp((request, response) => {
      const body = gzipSync(JSON.stringify(podList(3, [podObject('a', 1)])));
      response.writeHead(200, { 'content-encoding': 'gzip' });
      if (count++ > 0) {
        response.end(body);
        return;
      }
      response.write(body.subarray(0, 30));
      setImmediate(() => request.socket.destroy());
    });
    expect((await client.pods.list()).items).toHaveLength(1);
  });

  it('support a base path of the server', async () => {
    const asked: (string | undefined)[] = [];
    const { real } = await setUp((request, response) => {
      asked.push(request.url);
      sendJson(response, { gitVersion: 'v1.36.0' });
    });
    const client = connectKubeClient({ cluster: { server: `${real.url}/clusters/one/` } });
    expect((await client.version()).gitVersion).toBe('v1.36.0');
    expect(asked).toEqual(['/clusters/one/version']);
  });

  it('retry a 429 after its Retry-After', async () => {
    let count = 0;
    const { client } = await setUp((_request, response) => {
      if (count++ < 3) sendJson(response, statusBody(429, 'TooManyRequests'), 429, { 'retry-after': '0' });
      else sendJson(response, podObject('a', 1));
    });
    await client.pods.patch(key, {});
    expect(count).toBe(4);
  });

  it('report errors of the server', async () => {
    const { client } = await setUp((_request, response) => sendJson(response, statusBody(404, 'NotFound', 'pods "a" not found'), 404));
    const error = await client.pods.get(key).catch((error) => error);
    expect(apiStatusOf(error)).toEqual({ code: 404, reason: 'NotFound', message: 'pods "a" not found' });
  });
});

describe('watches', () => {
  /** A server whose watches the test writes. */
  async function watched() {
    const streams: { write(text: string): void; cut(): void; version: string | null }[] = [];
    const lists: (string | null)[] = [];
    let waiting: (() => void)[] = [];
    const notify = () => {
      for (const each of waiting.splice(0)) each();
    };
    const { real, client } = await setUp((request, response, url) => {
      const version = url.searchParams.get('resourceVersion');
      if (url.searchParams.get('watch') !== 'true') {
        lists.push(version);
        return sendJson(response, podList(10 + lists.length, [podObject('a', 5)]));
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      streams.push({ version, write: (text) => void response.write(text), cut: () => void request.socket.destroy() });
      notify();
    });
    const changes: (string | undefined)[] = [];
    const informer = client.pods.informer();
    informer.onChange((change) => {
      changes.push(change?.object?.metadata?.name);
      notify();
    });
    const until = async (predicate: () => boolean) => {
      while (!predicate()) await new Promise<void>((resolve) => waiting.push(resolve));
      waiting = [];
    };
    const stream = async (index: number) => {
      await until(() => streams.length > index);
      const found = streams[index];
      if (found === undefined) throw new Error('no such stream');
      return found;
    };
    return { real, client, lists, changes, informer, until, stream };
  }

  it('resume after a lost connection, also within a line, and list after a 410', async () => {
    const { lists, changes, informer, until, stream } = await watched();
    await informer.start();
    const first = await stream(0);
    first.write(bookmark(20) + watchLine('ADDED', podObject('b', 21)).slice(0, 50));
    first.write(watchLine('ADDED', podObject('b', 21)).slice(50) + watchLine('ADDED', podObject('c', 22)).slice(0, 30));
    await until(() => changes.includes('b'));
    first.cut();
    const second = await stream(1);
    expect(second.version).toBe('21');
    second.write(watchLine('ERROR', statusBody(410, 'Expired')));
    const third = await stream(2);
    expect(lists).toEqual(['0', '21']);
    expect(third.version).toBe('12');
    expect(changes).toEqual(['a', undefined, 'b', undefined]);
    const startedAt = performance.now();
    await informer.stop();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('get new connections when all are closed, such as after failed heartbeats', async () => {
    const { real, client, informer, stream } = await watched();
    await informer.start();
    await stream(0);
    const before = real.connections.length;
    client.closeConnections();
    await stream(1);
    expect(real.connections.length).toBeGreaterThan(before);
    await informer.stop();
  });

  it('decode UTF-8 however the chunks are split', async () => {
    const { informer, stream, until } = await watched();
    await informer.start();
    const { write } = await stream(0);
    const line = Buffer.from(watchLine('ADDED', { ...podObject('b', 21), note: 'Grüße, 世界 🌍' }));
    const seen = () => informer.get({ namespace: 'default', name: 'b' }) as (Pod & { note?: string }) | undefined;
    for (const byte of line) {
      write(Buffer.from([byte]) as unknown as string);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => seen() !== undefined);
    expect(seen()?.note).toBe('Grüße, 世界 🌍');
    await informer.stop();
  });
});
