import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestApiServer } from '../test-api-server.js';
import { machineNetwork } from './machine-network.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function secureServer() {
  const server = createTestApiServer({ network: machineNetwork, tokens: { secret: { username: 'jane' } } });
  ends.push(() => server.close());
  const url = await server.listen({ tls: true });
  return { server, url, ca: server.caCertificate, port: Number(new URL(url).port) };
}

/** The protocol that a client with this list gets. */
async function protocolFor(ALPNProtocols: string[]): Promise<string | false | null> {
  const { port, ca } = await secureServer();
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', ca, ALPNProtocols }, () => {
      resolve(socket.alpnProtocol);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** One request over HTTP/2. */
function overHttp2(url: string, options: { ca: string; cert?: string; key?: string }, headers: Record<string, string>) {
  const session = connectHttp2(url, options);
  session.on('error', () => {});
  ends.push(() => session.destroy());
  const send = () =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const stream = session.request({ ':path': '/api/v1/namespaces/default', ...headers });
      let status = 0;
      let body = '';
      stream.on('response', (received) => {
        status = Number(received[':status']);
      });
      stream.on('data', (chunk) => {
        body += chunk;
      });
      stream.on('end', () => resolve({ status, body }));
      stream.on('error', reject);
    });
  return { session, send };
}

describe('HTTP/2', () => {
  it.each([
    [['h2', 'http/1.1'], 'http/1.1'],
    [['h2'], 'h2'],
    [['http/1.1'], 'http/1.1'],
  ])('is chosen only by a client that insists: %j', async (protocols, chosen) => {
    expect(await protocolFor(protocols)).toBe(chosen);
  });

  it('serves clients with a certificate or a token', async () => {
    const { server, url, ca } = await secureServer();
    const cert = server.issueClientCertificate({ username: 'jane' });
    for (const [options, headers] of [
      [{ ca, ...cert }, {}],
      [{ ca }, { authorization: 'Bearer secret' }],
    ] as const) {
      const { send } = overHttp2(url, options, headers);
      const answers = await Promise.all([send(), send()]);
      for (const { status, body } of answers) expect([status, JSON.parse(body).kind]).toEqual([200, 'Namespace']);
    }
  });

  it.each([[{}], [{ authorization: 'Bearer wrong' }]])('closes the connection of others: %j', async (headers) => {
    const { url, ca } = await secureServer();
    const { session, send } = overHttp2(url, { ca }, headers as Record<string, string>);
    const closed = new Promise((resolve) => session.on('close', resolve));
    expect(await send()).toMatchObject({ status: 401 });
    await closed;
  });
});

describe('gzip', () => {
  const get = (url: string, encoding: string | undefined, ca: string) =>
    new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
      const outgoing = httpsRequest(url, { ca, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } }, (incoming) => {
        const pieces: Buffer[] = [];
        incoming.on('data', (piece: Buffer) => pieces.push(piece));
        incoming.on('end', () => resolve({ encoding: incoming.headers['content-encoding'], body: Buffer.concat(pieces) }));
      });
      outgoing.on('error', reject);
      outgoing.end();
    });

  it('compresses long responses for clients that accept it', async () => {
    const { server, url, ca } = await secureServer();
    const data = { text: 'x'.repeat(100_000) };
    for (const name of ['a', 'b']) server.objects.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
    const list = `${url}/api/v1/namespaces/default/configmaps`;
    const plain = await get(list, undefined, ca);
    expect(plain.encoding).toBeUndefined();
    const zipped = await get(list, 'deflate, gzip;q=0.5', ca);
    expect([zipped.encoding, gunzipSync(zipped.body).equals(plain.body)]).toEqual(['gzip', true]);
    expect(zipped.body.length).toBeLessThan(20_000);
    expect((await get(list, 'gzip;q=0', ca)).encoding).toBeUndefined();
    expect((await get(`${list}/a`, 'gzip', ca)).encoding).toBeUndefined();
  });
});
