import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { machineNetwork } from '../http/machine-network.js';
import type { PodServers } from '../network/pod-network.js';
import type { TestApiServerOptions } from '../options.js';
import { pod, setUp } from '../test-api-server.fixture.js';
import { type ApiRequest, textOf, textResponse } from './request.js';

const inNamespace = '/api/v1/namespaces/default';

/** A server with the pod and the Service `web`, whose pod records its requests. */
function start(options: TestApiServerOptions = {}) {
  const seen: (ApiRequest & { at: string })[] = [];
  const podServers: PodServers = (address, port) =>
    address === '10.0.0.1'
      ? {
          async handle(request) {
            seen.push({ ...request, at: `${address}:${port}` });
            if (port === 1) throw new Error('dial tcp 10.0.0.1:1: connect: connection refused');
            if (request.url.startsWith('/old')) return { status: 302, headers: { location: '/new?x=1' }, body: '' };
            return textResponse(200, `${request.method} ${request.url}`);
          },
        }
      : undefined;
  const { server, clock } = setUp({ podServers, ...options });
  const ports = [{ containerPort: 8080 }];
  const status = { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] };
  server.objects.create({ ...pod('web', { containers: [{ name: 'c', image: 'i', ports }] }) });
  server.objects.update('pods', 'web', (object) => Object.assign(object, { status }), { subresource: 'status' });
  const spec = {
    ports: [
      { name: 'http', port: 80 },
      { name: 'admin', port: 81 },
    ],
  };
  server.objects.create({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec });
  server.objects.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'] }],
    ports: [
      { name: 'http', port: 8080 },
      { name: 'admin', port: 1 },
    ],
  });
  const call = async (url: string, request: Partial<ApiRequest> = {}) => {
    const response = await server.handle({ ...request, url: `${inNamespace}/${url}` });
    const text = await textOf(response);
    return [response.status, text.startsWith('{"kind":"Status"') ? JSON.parse(text).message : text || response.headers.location];
  };
  return { server, clock, seen, call };
}

describe('the proxy of pods and Services', () => {
  it.each([
    ['pods/web/proxy/', '10.0.0.1:8080', 'GET /'],
    ['pods/web:9090/proxy/a/b%20c/?x=1&y', '10.0.0.1:9090', 'GET /a/b%20c/?x=1&y'],
    ['pods/https:web:/proxy/a', '10.0.0.1:8080', 'GET /a'],
    ['services/web:80/proxy/a', '10.0.0.1:8080', 'GET /a'],
    ['services/http:web:http/proxy/', '10.0.0.1:8080', 'GET /'],
  ])('passes %s on to %s', async (url, at, text) => {
    const { call, seen } = start();
    expect(await call(url, { method: 'GET' })).toEqual([200, text]);
    expect(seen[0]?.at).toBe(at);
  });

  it('passes the method, the headers and the body on, without the credentials', async () => {
    const { call, seen } = start({ tokens: { secret: { username: 'jane' } } });
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/yaml', cookie: 'a=b' };
    await call('pods/web/proxy/a', { method: 'POST', headers, body: 'a: b' });
    expect(seen[0]).toMatchObject({
      method: 'POST',
      body: 'a: b',
      headers: { 'content-type': 'application/yaml', cookie: 'a=b', 'x-forwarded-uri': `${inNamespace}/pods/web/proxy/a` },
    });
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it('passes requests for the port of a node on to its own server, others to that port', async () => {
    const asked: string[] = [];
    const node = { exec: async () => ({}), handle: async ({ url }: ApiRequest) => textResponse(200, `node ${asked.push(url)}`) };
    const { server, seen } = start({ nodeServers: (name) => (name === 'n1' ? node : undefined) });
    const status = { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } } };
    server.objects.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status });
    for (const name of ['n1', 'n1:10250', 'https:n1:10250', 'n1:9100']) {
      expect((await server.handle({ url: `/api/v1/nodes/${name}/proxy/metrics` })).status).toBe(200);
    }
    expect([asked, seen.map(({ at, url }) => at + url)]).toEqual([Array(3).fill('/metrics'), ['10.0.0.1:9100/metrics']]);
  });

  it('redirects to the root, and keeps redirects of the server behind the proxy', async () => {
    const { call } = start();
    expect(await call('services/web:80/proxy?x=1')).toEqual([301, `${inNamespace}/services/web:80/proxy/?x=1`]);
    expect(await call('services/web:80/proxy', { method: 'POST' })).toEqual([200, 'POST /']);
    expect(await call('services/web:80/proxy/old/page')).toEqual([302, `${inNamespace}/services/web:80/proxy/new?x=1`]);
  });

  it.each([
    ['pods/none/proxy/', 404, 'pods "none" not found'],
    ['pods/a:b:c:d/proxy/', 400, 'invalid pod request "a:b:c:d"'],
    ['services/ftp:web:80/proxy/', 400, 'invalid service request "ftp:web:80"'],
    ['services/web:82/proxy/', 503, 'no service port 82 found for service "web"'],
    ['services/web/proxy/', 503, 'no endpoints available for service "web"'],
    ['services/web:81/proxy/', 503, 'error trying to reach service: dial tcp 10.0.0.1:1: connect: connection refused'],
  ])('answers %s with %i', async (url, status, message) => {
    expect(await start().call(url)).toEqual([status, message]);
  });

  it('refuses pods without an address of the network', async () => {
    const { server, call } = start();
    server.objects.update('pods', 'web', (object) => Object.assign(object, { status: { podIP: '127.0.0.1' } }), { subresource: 'status' });
    expect(await call('pods/web/proxy/')).toEqual([400, 'address not allowed']);
  });
});

describe('the proxy over the network', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  it('reaches the URL of a Service, with bodies of any bytes', async () => {
    const seen: IncomingMessage[] = [];
    const other = createServer((incoming, outgoing) => {
      seen.push(incoming);
      outgoing.writeHead(201, { 'x-own': 'yes', 'content-type': 'image/png' });
      incoming.pipe(outgoing);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    closing.push(() => other.close());
    const serviceUrls = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { server } = start({ serviceUrls, network: machineNetwork });
    closing.push(() => void server.close());
    const url = await server.listen();
    const body = Uint8Array.from([0x89, 0x50, 0xff, 0x00]);
    const response = await fetch(`${url}${inNamespace}/services/web:80/proxy/image?a=b`, { method: 'PUT', body });
    expect([response.status, response.headers.get('x-own'), new Uint8Array(await response.arrayBuffer())]).toEqual([201, 'yes', body]);
    expect([seen[0]?.url, seen[0]?.method]).toEqual(['/image?a=b', 'PUT']);
  });
});
