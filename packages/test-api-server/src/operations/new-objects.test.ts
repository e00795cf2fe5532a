import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
const deployment = { metadata: { name: 'web', labels: { app: 'web' } }, spec: { selector: { matchLabels: { app: 'web' } }, template } };

describe('a new object', () => {
  it('must not have a resourceVersion, except in a dry run', async () => {
    const { call } = setUp();
    const body = { metadata: { name: 'c', resourceVersion: '5' } };
    const refused = await call('POST', configMaps, body);
    expect(refused.body).toEqual({
      ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 500 },
      message: 'resourceVersion should not be set on objects to be created',
    });
    expect((await call('POST', `${configMaps}?dryRun=All`, body)).status).toBe(201);
    const invalid = { metadata: { name: 'C', resourceVersion: '5' } };
    expect((await call('POST', configMaps, invalid)).status).toBe(422);
  });
});

describe('a Deployment', () => {
  it('gets annotations, but no labels, by its status', async () => {
    const { call, patch } = setUp();
    await call('POST', deployments, deployment);
    const metadata = { labels: { app: 'other' }, annotations: { a: 'b' } };
    const { body } = await patch(`${deployments}/web/status`, { metadata, spec: { replicas: 7 } });
    expect([body.metadata.labels, body.metadata.annotations, body.spec.replicas]).toEqual([{ app: 'web' }, { a: 'b' }, 1]);
  });

  it('is scaled by applying a Scale, and answers with the metadata alone on request', async () => {
    const { call } = setUp();
    await call('POST', deployments, deployment);
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 3 } };
    const applied = await call('PATCH', `${deployments}/web/scale?fieldManager=me`, scale, headers);
    expect([applied.status, applied.body.spec]).toEqual([200, { replicas: 3 }]);
    expect((await call('PATCH', `${deployments}/web/scale`, scale, headers)).status).toBe(422);
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const { body } = await call('GET', `${deployments}/web/status`, undefined, { accept });
    expect([body.kind, body.spec]).toEqual(['PartialObjectMetadata', undefined]);
  });
});

it('the generation of an EndpointSlice counts changes of its labels too', async () => {
  const { call, patch } = setUp();
  const url = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const slice = { metadata: { name: 'web' }, addressType: 'IPv4', endpoints: [] };
  expect((await call('POST', url, slice)).body.metadata.generation).toBe(1);
  expect((await patch(`${url}/web`, { metadata: { labels: { app: 'web' } } })).body.metadata.generation).toBe(2);
  expect((await patch(`${url}/web`, { metadata: { annotations: { note: 'x' } } })).body.metadata.generation).toBe(2);
  expect((await patch(`${url}/web`, { endpoints: [{ addresses: ['192.0.2.1'] }] })).body.metadata.generation).toBe(3);
});
