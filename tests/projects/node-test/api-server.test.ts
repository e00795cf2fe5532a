import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { createTestApiServer } from '@nodeagent/test-api-server';

const server = createTestApiServer();
beforeEach(() => server.reset());
after(() => server.close());

const url = '/api/v1/namespaces/default/configmaps';
const create = async () => (await server.handle({ method: 'POST', url, body: { metadata: { name: 'a' } } })).status;

test('creates an object', async () => {
  assert.equal(await create(), 201);
  assert.equal(await create(), 409);
});

test('starts each test without the objects of the last', async () => {
  assert.equal(await create(), 201);
});
