import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect, type Socket } from 'node:net';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createReviews, createTestServers } from '../test-server.js';

const { admin: client, ask, serve, stopAll } = createTestServers({ authority: createTestAuthority(), createClock: createVirtualClock });
const sockets: Socket[] = [];
const agents: Agent[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const agent of agents.splice(0)) agent.destroy();
  await stopAll();
});

/** Connects and sends nothing. */
async function idle(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const idles = async (port: number, count: number) => {
  const opened: Socket[] = [];
  for (let index = 0; index < count; index++) opened.push(await idle(port));
  return opened;
};

/** A client that keeps its connection. */
function keepAliveAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

const openCount = (all: readonly Socket[]) => all.filter(({ destroyed }) => !destroyed).length;

describe('at the limit of connections', () => {
  it('a client with a certificate always connects, and the oldest unauthenticated connection is closed', async () => {
    const { port } = await serve({ settings: { maxConnections: 100 } });
    const idleSockets = await idles(port, 100);
    for (let times = 0; times < 12; times++) {
      expect((await ask(port, '/pods', { client })).status).toBe(200);
      idleSockets.push(await idle(port));
    }
    await expect.poll(() => openCount(idleSockets)).toBe(100);
    expect(idleSockets.findIndex(({ destroyed }) => !destroyed)).toBe(12);
  });

  it('connections of authenticated clients stay open despite new connections', async () => {
    const reviews = createReviews({ good: { username: 'alice' } });
    const { port } = await serve({ settings: { maxConnections: 10 } }, { authentication: reviews.authentication });
    const withCertificate = { agent: keepAliveAgent(), client };
    const withToken = { agent: keepAliveAgent(), headers: { authorization: 'Bearer good' } };
    const localPorts = () =>
      [withCertificate, withToken].map(({ agent }) =>
        Object.values(agent.freeSockets).map((all) => all?.map(({ localPort }) => localPort)),
      );
    for (const options of [withCertificate, withToken]) expect((await ask(port, '/pods', options)).status).toBe(200);
    const before = localPorts();
    const idleSockets = await idles(port, 50);
    await expect.poll(() => openCount(idleSockets)).toBe(8);
    for (const options of [withCertificate, withToken]) expect((await ask(port, '/pods', options)).status).toBe(200);
    expect(localPorts()).toEqual(before);
  });

  it('anonymous clients count as unauthenticated', async () => {
    const { port } = await serve({ settings: { maxConnections: 2 } }, { authentication: { anonymous: true } });
    const agent = keepAliveAgent();
    expect((await ask(port, '/pods', { agent })).status).toBe(200);
    const [socket] = Object.values(agent.freeSockets)[0] ?? [];
    await idles(port, 2);
    await expect.poll(() => socket?.destroyed).toBe(true);
  });

  it('a new connection is closed when all others are authenticated', async () => {
    const { port } = await serve({ settings: { maxConnections: 3 } });
    for (let index = 0; index < 3; index++) expect((await ask(port, '/pods', { client, agent: keepAliveAgent() })).status).toBe(200);
    const refused = await idle(port);
    await expect.poll(() => refused.destroyed).toBe(true);
    await expect(ask(port, '/pods', { client })).rejects.toThrow();
    agents[0]?.destroy();
    await expect.poll(async () => (await ask(port, '/pods', { client }).catch(() => undefined))?.status).toBe(200);
  });

  it('a port without authentication closes the oldest', async () => {
    const { server } = await serve({ settings: { maxConnections: 3 }, readOnly: { port: 0, address: '127.0.0.1' } });
    const port = server.ports.readOnly ?? 0;
    const idleSockets = await idles(port, 3);
    expect((await ask(port, '/pods', { secure: false })).status).toBe(200);
    await expect.poll(() => idleSockets.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
  });
});
