import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KubeObject } from '@nodeagent/api';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestAuthority } from '../http/certificates.js';
import { machineNetwork } from '../http/machine-network.js';
import type { ServiceUrls } from '../network/service-endpoint.js';
import { createTestApiServer, type TestApiServer } from '../test-api-server.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Another API server, with one resource. */
async function startOther() {
  const authority = createTestAuthority();
  const own = authority.issueServer(['sample.apps.svc']);
  const seen: Seen[] = [];
  const other: Server = createServer(own, (incoming, outgoing) => {
    let body = '';
    incoming.on('data', (piece) => {
      body += piece;
    });
    incoming.on('end', () => {
      const isOfServer = incoming.headers['x-remote-user'] === 'system:kube-aggregator';
      if (!isOfServer) seen.push({ method: incoming.method, url: incoming.url, headers: incoming.headers, body });
      outgoing.setHeader('content-type', 'application/json');
      const verbs = ['get', 'list'];
      const resources = [{ name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder', verbs }];
      const documents: Record<string, unknown> = {
        '/apis/samples.example.com/v1': { kind: 'APIResourceList', groupVersion: 'samples.example.com/v1', resources },
        '/openapi/v3': {
          paths: { 'apis/samples.example.com/v1': { serverRelativeURL: '/openapi/v3/apis/samples.example.com/v1?hash=1' }, version: {} },
        },
        '/openapi/v2': { paths: { '/apis/samples.example.com/v1/': {} }, definitions: { Flunder: { type: 'object' } } },
      };
      outgoing.end(JSON.stringify(documents[incoming.url ?? ''] ?? { kind: 'Flunder' }));
    });
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => other.close(resolve)));
  return { seen, ca: btoa(authority.cert), cert: btoa(own.cert), port: (other.address() as AddressInfo).port };
}

const service = { namespace: 'apps', name: 'sample', port: 443 };
const apiService = (caBundle: string) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.samples.example.com' },
  spec: { group: 'samples.example.com', version: 'v1', groupPriorityMinimum: 2000, versionPriority: 200, service, caBundle },
});

function createService({ objects }: TestApiServer, port: number): void {
  objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } });
  objects.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'sample', namespace: 'apps' },
    spec: { ports: [{ port: 443, targetPort: port }] },
  });
  objects.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'sample-1', namespace: 'apps', labels: { 'kubernetes.io/service-name': 'sample' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ port }],
  });
}

function start(serviceUrls?: ServiceUrls) {
  const server = createTestApiServer({ network: machineNetwork, ...(serviceUrls && { serviceUrls }) });
  ends.push(() => server.close());
  const get = async (url: string, headers: Record<string, string> = {}) => {
    const { status, body } = await server.handle({ url, headers });
    let text = '';
    for await (const piece of typeof body === 'string' ? [body] : body) text += String(piece);
    return { status, body: JSON.parse(text) };
  };
  const available = () => {
    const object = server.objects.get<KubeObject & { status?: { conditions?: unknown[] } }>('apiservices', 'v1.samples.example.com');
    return object?.status?.conditions?.[0];
  };
  return { server, get, available };
}

const path = '/apis/samples.example.com/v1/namespaces/default/flunders/f';

describe('an APIService with a Service', () => {
  it('is available once the Service has an endpoint that serves its discovery', async () => {
    const { ca, port } = await startOther();
    const { server, available } = start();
    server.objects.create(apiService(ca));
    expect(available()).toMatchObject({ status: 'False', reason: 'ServiceNotFound', message: 'service/sample in "apps" is not present' });
    createService(server, port);
    await expect.poll(available).toMatchObject({ status: 'True', reason: 'Passed', message: 'all checks passed' });
    server.objects.delete('endpointslices', 'sample-1', { namespace: 'apps' });
    expect(available()).toMatchObject({
      status: 'False',
      reason: 'EndpointsNotFound',
      message: 'cannot find endpointslices for service/sample in "apps"',
    });
  });

  it('is not available if its discovery cannot be read', async () => {
    const { server, available } = start(() => 'https://127.0.0.1:1');
    server.objects.create(apiService(''));
    await expect.poll(available).toMatchObject({
      status: 'False',
      reason: 'FailedDiscoveryCheck',
      message:
        'failing or missing response from https://sample.apps.svc:443/apis/samples.example.com/v1: error trying to reach service: ' +
        'dial tcp 127.0.0.1:1: connect: connection refused',
    });
  });

  it('gets the requests of its group, with the user in headers', async () => {
    const { seen, ca, port } = await startOther();
    const { server, get } = start();
    createService(server, port);
    server.objects.create(apiService(ca));
    expect(
      await get(`${path}?pretty=1`, { authorization: 'Basic x', 'impersonate-user': 'jane', 'impersonate-group': 'a,b' }),
    ).toMatchObject({
      status: 401,
    });
    expect(await get(`${path}?pretty=1`, { 'impersonate-user': 'jane', 'impersonate-group': 'a,b' })).toEqual({
      status: 200,
      body: { kind: 'Flunder' },
    });
    expect(seen[0]).toMatchObject({ method: 'GET', url: `${path}?pretty=1`, headers: { 'x-remote-user': 'jane' } });
    expect(seen[0]?.headers.authorization).toBeUndefined();
    await server.handle({ method: 'POST', url: path, body: { kind: 'Flunder' }, headers: { 'content-type': 'application/json' } });
    expect(seen[1]).toMatchObject({ method: 'POST', body: '{"kind":"Flunder"}' });
  });

  it('is in discovery; stale while it cannot be reached', async () => {
    const { ca, port } = await startOther();
    const { server, get } = start();
    createService(server, port);
    server.objects.create(apiService(ca));
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const discovered = async () =>
      (await get('/apis', { accept })).body.items.find(
        (each: { metadata: { name: string } }) => each.metadata.name === 'samples.example.com',
      );
    expect((await discovered()).versions).toMatchObject([{ version: 'v1', freshness: 'Current', resources: [{ resource: 'flunders' }] }]);
    expect((await get('/apis/samples.example.com')).body.preferredVersion).toEqual({
      groupVersion: 'samples.example.com/v1',
      version: 'v1',
    });
    expect((await get('/apis/samples.example.com/v1')).body.resources).toHaveLength(1);
    server.objects.delete('endpointslices', 'sample-1', { namespace: 'apps' });
    expect((await discovered()).versions).toEqual([{ version: 'v1', freshness: 'Stale', resources: [] }]);
    expect(await get(path)).toMatchObject({ status: 503, body: { reason: 'ServiceUnavailable' } });
  });

  it('has its types in the OpenAPI documents', async () => {
    const { ca, port, seen } = await startOther();
    const { server, get } = start(() => `https://127.0.0.1:${port}`);
    server.objects.create(apiService(ca));
    const { paths } = (await get('/openapi/v3')).body;
    expect(paths['apis/samples.example.com/v1']).toEqual({ serverRelativeURL: '/openapi/v3/apis/samples.example.com/v1?hash=1' });
    expect([paths.version, paths['apis/apps/v1'].serverRelativeURL]).toEqual([undefined, expect.stringContaining('hash=')]);
    await get('/openapi/v3/apis/samples.example.com/v1?hash=1');
    expect(seen[0]?.url).toBe('/openapi/v3/apis/samples.example.com/v1?hash=1');
    const merged = (await get('/openapi/v2')).body;
    expect([merged.definitions.Flunder, merged.paths]).toEqual([{ type: 'object' }, { '/apis/samples.example.com/v1/': {} }]);
    expect(merged.definitions['io.k8s.api.apps.v1.Deployment']).toBeDefined();
  });

  it('is in discovery by its priority, also with other versions of its group', async () => {
    const { ca, port } = await startOther();
    const { server, get } = start((_, name) => (name === 'sample' ? `https://127.0.0.1:${port}` : undefined));
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const spec = { group: 'custom.example.com', scope: 'Cluster', names: { plural: 'widgets', kind: 'Widget' }, versions };
    const metadata = { name: 'widgets.custom.example.com' };
    server.objects.create({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec });
    const base = apiService(ca);
    server.objects.create(base);
    const v2 = { ...base.spec, version: 'v2', versionPriority: 300, service: { ...service, name: 'none' } };
    server.objects.create({ ...base, metadata: { name: 'v2.samples.example.com' }, spec: v2 });
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const items = (await get('/apis', { accept })).body.items as { metadata: { name: string }; versions: object[] }[];
    expect(items.slice(-2).map((each) => each.metadata.name)).toEqual(['samples.example.com', 'custom.example.com']);
    expect(items.at(-2)?.versions).toMatchObject([
      { version: 'v1', freshness: 'Current' },
      { version: 'v2', freshness: 'Stale' },
    ]);
    const { groups } = (await get('/apis')).body as { groups: { name: string }[] };
    expect(groups.slice(-2).map(({ name }) => name)).toEqual(['samples.example.com', 'custom.example.com']);
  });

  it('may be at a URL of the test', async () => {
    const { port, ca, seen } = await startOther();
    const { server, get } = start((namespace, name) =>
      `${namespace}/${name}` === 'apps/sample' ? `https://127.0.0.1:${port}` : undefined,
    );
    server.objects.create(apiService(ca));
    expect((await get(path)).status).toBe(200);
    expect(seen).toHaveLength(1);
  });

  it('may have its certificate as the CA', async () => {
    const { port, cert } = await startOther();
    const { server, get } = start(() => `https://127.0.0.1:${port}`);
    server.objects.create(apiService(cert));
    expect((await get(path)).status).toBe(200);
  });

  it('must have a certificate of its CA', async () => {
    const { port } = await startOther();
    const { server, get } = start(() => `https://127.0.0.1:${port}`);
    server.objects.create(apiService(btoa(createTestAuthority().cert)));
    expect(await get(path)).toMatchObject({ status: 503 });
  });
});

describe('the APIServices of the server', () => {
  it('are local, and follow its CustomResourceDefinitions', async () => {
    const { server } = start();
    const names = () => server.objects.list('apiservices').map(({ metadata }) => metadata?.name);
    expect(names()).toEqual(expect.arrayContaining(['v1.', 'v1.apps', 'v2.autoscaling', 'v1.flowcontrol.apiserver.k8s.io']));
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const spec = { group: 'example.com', scope: 'Cluster', names: { plural: 'widgets', kind: 'Widget' }, versions };
    const metadata = { name: 'widgets.example.com' };
    server.objects.create({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec });
    expect(names()).toContain('v1.example.com');
    server.objects.delete('customresourcedefinitions', 'widgets.example.com');
    expect(names()).not.toContain('v1.example.com');
  });
});
