import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { followClientSockets } from './client-sockets.js';

it('knows when all bytes have arrived at both ends of the connections of this process', async () => {
  const clients = followClientSockets();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = connect(port, '127.0.0.1');
  // The server does not know the connection yet.
  expect(clients.haveReceivedAll([])).toBe(false);
  const [accepted] = (await once(server, 'connection')) as [Socket];
  client.write('hello');
  expect(clients.haveReceivedAll([accepted])).toBe(false);
  await once(accepted, 'data');
  expect(clients.haveReceivedAll([accepted])).toBe(true);
  accepted.write('hello to you');
  expect(clients.haveReceivedAll([accepted])).toBe(false);
  await once(client, 'data');
  expect(clients.haveReceivedAll([accepted])).toBe(true);
  // A client that is also connected elsewhere may be busy there.
  expect(clients.haveReceivedAll([])).toBe(false);
  client.destroy();
  await once(client, 'close');
  expect(clients.haveReceivedAll([])).toBe(true);
  clients.stop();
  server.close();
});
