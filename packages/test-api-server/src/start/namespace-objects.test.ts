import { expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

it('leaves namespaces empty on request, and still empties those that are deleted', async () => {
  const { call } = setUp({ namespaceObjects: false });
  await call('POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
  for (const resource of ['serviceaccounts', 'configmaps'])
    expect((await call('GET', `/api/v1/namespaces/team/${resource}`)).body.items).toEqual([]);
  await call('POST', '/api/v1/namespaces/team/configmaps', { metadata: { name: 'c' } });
  await call('DELETE', '/api/v1/namespaces/team');
  expect((await call('GET', '/api/v1/namespaces/team')).status).toBe(404);
});
