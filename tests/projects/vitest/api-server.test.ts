import { createTestApiServer } from '@nodeagent/test-api-server';
import { afterAll, beforeEach, expect, test } from 'vitest';

const server = createTestApiServer();
beforeEach(() => server.reset());
afterAll(() => server.close());

const url = '/api/v1/namespaces/default/configmaps';
const create = async () => (await server.handle({ method: 'POST', url, body: { metadata: { name: 'a' } } })).status;

test('creates an object', async () => {
  expect(await create()).toBe(201);
  expect(await create()).toBe(409);
});

test('starts each test without the objects of the last', async () => {
  expect(await create()).toBe(201);
});
