import type { InProcessServer, Transport } from '@nodeagent/kube-client';
import { createTestCluster } from '@nodeagent/test-cluster';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createApiSocket } from './api-socket.js';
import { createDeliveries } from './deliveries.js';

/** A socket in virtual time. */
async function setUp() {
  const deliveries = createDeliveries();
  const clock = createVirtualClock({ settleIO: deliveries.settle });
  const socket = await createApiSocket(deliveries);
  onTestFinished(() => socket.close());
  return { clock, socket };
}

/** A cluster whose agents send their requests over a socket, with a running pod. */
async function clusterOverTcp() {
  const { clock, socket } = await setUp();
  const cluster = await clusterWith({ clock, node: { transport: socket.transport } });
  return { clock, socket, cluster, node: cluster.node('node-1') };
}

async function clusterWith(options: Parameters<typeof createTestCluster>[0]) {
  const cluster = await createTestCluster(options);
  onTestFinished(async () => void (await cluster.stop()));
  cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'main', image: 'nginx' }] } });
  await cluster.until(() => cluster.pod('p')?.status?.phase === 'Running');
  return cluster;
}

const request = (path: string, signal = new AbortController().signal) => ({ method: 'GET', path, headers: {}, signal });

async function textOf(transport: Transport, path: string, signal?: AbortSignal): Promise<string> {
  const { body } = await transport.send(request(path, signal));
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

const echo: InProcessServer = { handle: async ({ url }) => ({ status: 200, headers: {}, body: url }) };

it('delivers responses in the order of the requests, with all their consequences, before the next timer', async () => {
  const { clock, socket } = await setUp();
  const transport = socket.transport(echo);
  const log: string[] = [];
  const call = async (path: string, steps: number) => {
    const text = await textOf(transport, path);
    for (let step = 0; step < steps; step++) await undefined;
    log.push(text);
  };
  const calls: Promise<void>[] = [];
  clock.setTimeout(() => calls.push(call('/1', 50), call('/2', 10), call('/3', 0)), 10);
  clock.setTimeout(() => log.push('timer'), 10);
  await clock.advance(10);
  expect(log).toEqual(['/1', '/2', '/3', 'timer']);
});

it('delivers the chunks of several streams when the server sends them', async () => {
  const { clock, socket } = await setUp();
  async function* body(url: string) {
    for (let chunk = 1; chunk <= 3; chunk++) {
      await clock.sleep(1_000);
      yield `${url} chunk ${chunk}`;
    }
  }
  const transport = socket.transport({ handle: async ({ url }) => ({ status: 200, headers: {}, body: body(url) }) });
  const log: string[] = [];
  const read = async (path: string) => {
    const response = await transport.send(request(path));
    for await (const chunk of response.body) log.push(`${clock.monotonic()} ${Buffer.from(chunk)}`);
  };
  await clock.run(Promise.all([read('/a'), read('/b')]));
  expect(log).toEqual([1_000, 2_000, 3_000].flatMap((ms) => [`${ms} /a chunk ${ms / 1_000}`, `${ms} /b chunk ${ms / 1_000}`]));
});

it('delivers an abort to the server, before the response and while it is read', async () => {
  const { clock, socket } = await setUp();
  const aborted: string[] = [];
  const silent = (signal: AbortSignal) => new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const transport = socket.transport({
    handle: async ({ url, signal }) => {
      signal.addEventListener('abort', () => aborted.push(url));
      if (url === '/call') return silent(signal);
      return {
        status: 200,
        headers: {},
        body: (async function* () {
          yield await silent(signal);
        })(),
      };
    },
  });
  const controller = new AbortController();
  const texts = Promise.allSettled(['/call', '/stream'].map((path) => textOf(transport, path, controller.signal)));
  await clock.settle();
  controller.abort(new Error('cancelled'));
  const reason = expect.objectContaining({ message: 'cancelled' });
  expect(await clock.run(texts)).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
  expect(aborted).toEqual(['/call', '/stream']);
});

it('closes the connection of a request that the server rejects', async () => {
  const { clock, socket } = await setUp();
  const transport = socket.transport({ handle: () => Promise.reject(new Error('cut')) });
  await expect(clock.run(textOf(transport, '/'))).rejects.toMatchObject({ code: 'ApiUnreachable', details: { stage: 'response' } });
});

it('gives a cluster the same outcome as a transport without a network', async () => {
  const { cluster } = await clusterOverTcp();
  const inProcess = await clusterWith({ clock: createVirtualClock() });
  expect(cluster.pod('p')?.status).toEqual(inProcess.pod('p')?.status);
  expect(cluster.nodes[0]?.object()?.status).toEqual(inProcess.nodes[0]?.object()?.status);
});

it.each(['outage', 'kill'] as const)('closes the connections at the %s, and opens others after it', async (fault) => {
  const { clock, socket, cluster, node } = await clusterOverTcp();
  expect(await socket.connections()).toBeGreaterThan(1);
  expect(cluster.server.watches).toBeGreaterThan(0);
  if (fault === 'outage') node.partition('refused');
  else node.crash();
  await clock.settle();
  await expect.poll(() => socket.connections()).toBe(0);
  expect(cluster.server.watches).toBe(0);
  if (fault === 'outage') node.heal();
  else await node.restart();
  await cluster.advance('1m');
  expect(await socket.connections()).toBeGreaterThan(1);
  expect(node.condition('Ready')).toBe('True');
});

it('leaves no connection and no timer after the stop of the agents', async () => {
  const { socket, cluster } = await clusterOverTcp();
  expect(await cluster.stop()).toBe(0);
  await expect.poll(() => socket.connections()).toBe(0);
});
