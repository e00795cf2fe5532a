import { expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

it.each([
  ['/api/v1/namespaces/default/endpoints', '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"'],
  ['/api/v1/componentstatuses', '299 - "v1 ComponentStatus is deprecated in v1.19+"'],
  ['/api/v1/namespaces/default/pods', undefined],
])('answers a request for %s with the warning %s', async (url, warning) => {
  const { call } = setUp();
  expect((await call('GET', url)).headers.warning).toBe(warning);
});
