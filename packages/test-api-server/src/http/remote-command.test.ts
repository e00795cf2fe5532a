import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { pod } from '../test-api-server.fixture.js';
import { createTestApiServer } from '../test-api-server.js';
import { machineNetwork } from './machine-network.js';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** The response to an upgrade request that the server refuses. */
async function refusal(path: string, headers: Record<string, string>): Promise<unknown> {
  const node = { handle: () => Promise.reject(new Error('not expected')), exec: async () => ({}) };
  const server = createTestApiServer({ network: machineNetwork, nodeServers: () => node });
  stops.push(() => server.close());
  server.objects.create({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
  });
  server.objects.create(pod('web', { nodeName: 'n1' }));
  const url = await server.listen();
  const outgoing = request(`${url}/api/v1/namespaces/default/pods/web/${path}`, { headers: { connection: 'Upgrade', ...headers } }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return JSON.parse(await text(response));
}

const webSocket = { upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': Buffer.alloc(16).toString('base64') };

it.each<[string, string, Record<string, string>, string]>([
  ['a SPDY client', 'exec?command=sh&stdout=true', { upgrade: 'SPDY/3.1' }, 'over WebSockets only'],
  ['an unknown subprotocol', 'exec?command=sh&stdout=true', { ...webSocket, 'sec-websocket-protocol': 'v1' }, 'v5.channel.k8s.io'],
  [
    'a WebSocket to a pod',
    'proxy/socket',
    { ...webSocket, 'sec-websocket-protocol': 'chat' },
    'upgrade requests to pods and services are not proxied',
  ],
  ['a port-forward', 'portforward?ports=80', { ...webSocket, 'sec-websocket-protocol': 'v5.channel.k8s.io' }, 'only runs commands'],
])('refuses %s', async (_what, path, headers, message) => {
  expect(await refusal(path, headers)).toMatchObject({ kind: 'Status', code: 400, message: expect.stringContaining(message) });
});
