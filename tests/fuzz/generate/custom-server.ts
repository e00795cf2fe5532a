import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock } from '@nodeagent/testing';
import { promise } from '../promises.js';
import type { Json } from './json.js';

/** An answer of the server. */
export interface CustomAnswer {
  status: number;
  body: { spec?: Json; message?: string };
}

let server: TestApiServer | undefined;

/** The server, reset, for one custom resource; every answer is a status that the API documents. */
export function customServer() {
  server ??= createTestApiServer({ clock: createVirtualClock() });
  server.reset();
  const { handle } = server;
  const send = async (method: string, url: string, body: unknown): Promise<CustomAnswer> => {
    const response = await handle({ method, url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const answer = { status: response.status, body: JSON.parse(String(response.body)) as CustomAnswer['body'] };
    promise([200, 201, 400, 422].includes(answer.status), `${method} ${url} is answered with ${answer.status}: ${answer.body.message}`);
    return answer;
  };
  const at = '/apis/example.com/v1/widgets';
  return {
    /** Creates the definition with a schema. */
    define: (schema: Json) =>
      send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Cluster',
          names: { plural: 'widgets', kind: 'Widget' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      }),
    create: (name: string, spec: Json | undefined) =>
      send('POST', at, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec }),
    /** Creates without a write. */
    tryCreate: (spec: Json | undefined) =>
      send('POST', `${at}?dryRun=All`, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'dry' }, spec }),
  };
}
