import { expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
const spec = { replicas: 2, selector: { matchLabels: labels }, template };
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };

interface Column {
  name: string;
}

it('shows the subresources scale and status as tables', async () => {
  const { call } = setUp();
  await call('POST', deployments, deployment);
  const scale = (await call('GET', `${deployments}/web/scale`, undefined, table)).body;
  expect(scale.columnDefinitions.map(({ name }: Column) => name)).toEqual(['Name', 'Desired', 'Available', 'Age']);
  expect(scale.rows[0].cells).toEqual(['web', 2, 0, '0s']);
  const { body } = await call('GET', `${deployments}/web/status`, undefined, table);
  expect([body.kind, body.rows[0].cells.slice(0, 2)]).toEqual(['Table', ['web', '0/2']]);
});

it('names the columns of a watch once', async () => {
  const { server } = setUp();
  const abort = new AbortController();
  const response = await server.handle({ url: '/api/v1/namespaces?watch=true', headers: table, signal: abort.signal });
  abort.abort();
  let text = '';
  for await (const piece of response.body as AsyncIterable<string>) text += piece;
  const [first, ...others] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).object);
  expect(first.columnDefinitions.map(({ name }: Column) => name)).toEqual(['Name', 'Status', 'Age']);
  expect(others.map(({ columnDefinitions }) => columnDefinitions)).toEqual([null, null, null]);
});
