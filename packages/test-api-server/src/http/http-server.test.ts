import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { KubeObject } from '@nodeagent/api';
import { afterEach, describe, expect, it } from 'vitest';
import { referenceEnvelope, referenceEvents, referenceOpen } from '../protobuf/reference.fixture.js';
import { pod } from '../test-api-server.fixture.js';
import { createTestApiServer, type TestApiServer } from '../test-api-server.js';
import { machineNetwork } from './machine-network.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A node's HTTP server that returns the request, and echoes on upgraded connections. */
async function startNode(): Promise<number> {
  const node: Server = createServer((incoming, outgoing) => outgoing.end(`${incoming.method} ${incoming.url}`));
  node.on('upgrade', (incoming: IncomingMessage, socket: Socket) => {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${incoming.headers.upgrade}\r\n\r\n${incoming.url}|`);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => node.close(resolve)));
  return (node.address() as AddressInfo).port;
}

async function setUp(): Promise<{ server: TestApiServer; url: string }> {
  const port = await startNode();
  const server = createTestApiServer({ network: machineNetwork, nodeProxy: { scheme: 'http' } });
  ends.push(() => server.close());
  server.objects.create({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], daemonEndpoints: { kubeletEndpoint: { Port: port } } },
  });
  server.objects.create(pod('web', { nodeName: 'n1' }));
  return { server, url: await server.listen() };
}

describe('the HTTP side of the API server', () => {
  it('proxies logs and other endpoints of the node', async () => {
    const { url } = await setUp();
    const text = async (path: string) => (await fetch(`${url}${path}`)).text();
    expect(await text('/api/v1/namespaces/default/pods/web/log?tailLines=5')).toBe('GET /containerLogs/default/web/main?tailLines=5');
    expect(await text('/api/v1/nodes/n1/proxy/stats/summary?only=x')).toBe('GET /stats/summary?only=x');
    const wrong = await fetch(`${url}/api/v1/namespaces/default/pods/web/log?container=none`);
    expect(await wrong.json()).toMatchObject({ code: 400, message: 'container none is not valid for pod web' });
  });

  it('keeps idle connections longer than clients do', async () => {
    const { url } = await setUp();
    expect((await fetch(`${url}/version`)).headers.get('keep-alive')).toBe('timeout=120');
  });

  it('takes and returns protobuf, whole and as a stream', async () => {
    const { server, url } = await setUp();
    const type = 'application/vnd.kubernetes.protobuf';
    const configMaps = `${url}/api/v1/namespaces/default/configmaps`;
    const body = referenceEnvelope('v1', 'ConfigMap', { metadata: { name: 'c' }, binaryData: { b: '/wD+' } });
    const created = await fetch(configMaps, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-type': `${type}; x=y`, accept: type },
    });
    const bytes = new Uint8Array(await created.arrayBuffer());
    expect([created.status, created.headers.get('content-type')]).toEqual([201, type]);
    expect(referenceOpen(bytes)).toMatchObject({ kind: 'ConfigMap', object: { metadata: { name: 'c' }, binaryData: { b: '/wD+' } } });
    const watch = await fetch(`${configMaps}?watch=1&fieldSelector=metadata.name%3Dc`, { headers: { accept: type } });
    server.dropWatches();
    expect(referenceEvents(new Uint8Array(await watch.arrayBuffer()))).toMatchObject([
      { type: 'ADDED', object: { metadata: { name: 'c' } } },
    ]);
    const long = referenceEnvelope('v1', 'ConfigMap', { metadata: { name: 'long' }, data: { a: 'a'.repeat(200_000) } });
    const zipped = await fetch(configMaps, { method: 'POST', body: new Uint8Array(long), headers: { 'content-type': type, accept: type } });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(referenceOpen(new Uint8Array(await zipped.arrayBuffer())).object).toMatchObject({ metadata: { name: 'long' } });
  });

  it('reports an unreachable node', async () => {
    const { server, url } = await setUp();
    server.objects.update(
      'nodes',
      'n1',
      (node: KubeObject & { status?: unknown }) => {
        node.status = { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], daemonEndpoints: { kubeletEndpoint: { Port: 1 } } };
      },
      { subresource: 'status' },
    );
    const answer = await fetch(`${url}/api/v1/namespaces/default/pods/web/log`);
    expect(await answer.json()).toMatchObject({ code: 503, reason: 'ServiceUnavailable' });
  });

  it('proxies upgraded connections', async () => {
    const { url } = await setUp();
    const path = '/api/v1/namespaces/default/pods/web/exec?command=sh&stdin=true&stdout=true';
    const connection = await new Promise<Socket>((resolve, reject) => {
      const outgoing = request(`${url}${path}`, { method: 'POST', headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' } });
      outgoing.on('upgrade', (_response, socket, head) => {
        socket.unshift(head);
        resolve(socket as Socket);
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
    connection.write('hello');
    let seen = '';
    for await (const piece of connection) {
      seen += piece;
      if (seen.endsWith('hello')) break;
    }
    expect(seen).toBe('/exec/default/web/main?command=sh&input=1&output=1|hello');
    const refused = await fetch(`${url}/api/v1/namespaces/default/pods/none/log`);
    expect(refused.status).toBe(404);
  });

  it('streams watches, and closes them with the connection', async () => {
    const { server, url } = await setUp();
    const abort = new AbortController();
    const response = await fetch(`${url}/api/v1/pods?watch=true`, { signal: abort.signal });
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toMatch(/^\{"type":"ADDED"/);
    expect(server.watches).toBe(1);
    abort.abort();
    await expect(reader?.read()).rejects.toThrow();
    await expect.poll(() => server.watches).toBe(0);
  });
});
