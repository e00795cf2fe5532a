import type { KubeObject } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const container = { name: 'main', image: 'nginx' };
const template = { metadata: { labels: { app: 'web' } }, spec: { restartPolicy: 'Never', containers: [container] } };

describe('fields that a server writes although they are unset', () => {
  it('are in the status of a new object, which its creator does not manage', async () => {
    const { call } = setUp();
    const body = { metadata: { name: 'job' }, spec: { template } };
    const job = await call('POST', '/apis/batch/v1/namespaces/default/jobs', body);
    expect(job.body.status).toEqual({});
    expect(job.body.metadata.managedFields).toHaveLength(1);
    expect(job.body.metadata.managedFields[0].fieldsV1).not.toHaveProperty('f:status');
    const dry = await call('POST', '/apis/batch/v1/namespaces/default/jobs?dryRun=All', { ...body, metadata: { name: 'dry' } });
    expect(dry.body.status).toEqual({});
  });

  it('are in a status that a client replaces', async () => {
    const { call } = setUp();
    const url = '/apis/apps/v1/namespaces/default/replicasets';
    const spec = { selector: { matchLabels: { app: 'web' } }, template: { ...template, spec: { containers: [container] } } };
    const { body } = await call('POST', url, { metadata: { name: 'web' }, spec });
    expect(body.status).toEqual({ replicas: 0 });
    const updated = await call('PUT', `${url}/web/status`, { ...body, status: { readyReplicas: 1 } });
    expect(updated.body.status).toEqual({ readyReplicas: 1, replicas: 0 });
  });

  it('are in each element of a list', () => {
    const { server } = setUp();
    server.objects.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [container] } } as KubeObject);
    const containerStatuses = [{ name: 'main', state: { running: {} } }];
    const set = (pod: KubeObject & { status?: object }) => Object.assign(pod.status ?? {}, { containerStatuses });
    const { status } = server.objects.update('pods', 'web', set, { subresource: 'status' }) as { status?: object };
    const state = { running: { startedAt: null } };
    const expected = { name: 'main', image: '', imageID: '', ready: false, restartCount: 0, lastState: {}, state };
    expect(status).toMatchObject({ containerStatuses: [expected] });
  });
});
