import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { tempSocket } from '../test/greeter.js';
import { lazyGrpcServer } from './lazy-grpc-server.js';
import { loadGrpcJs } from './load-grpc-js.js';

async function listening(load = vi.fn(loadGrpcJs)) {
  const path = tempSocket();
  const server = lazyGrpcServer(({ Server }) => new Server({ 'grpc.enable_channelz': 1 }), load);
  await server.listen(path);
  return { path, server, load };
}
async function connectedTo(path: string) {
  const socket = connect(path);
  await once(socket, 'connect');
  return socket;
}

it('loads grpc-js with the first connection', async () => {
  const { path, server, load } = await listening();
  expect(load).not.toHaveBeenCalled();
  const sockets = [await connectedTo(path), await connectedTo(path)];
  // The settings of an HTTP/2 server are the first that it sends.
  for (const socket of sockets) expect((await once(socket, 'data'))[0].readUInt8(3)).toBe(4);
  expect(load).toHaveBeenCalledTimes(1);
  const ended = sockets.map((socket) => once(socket, 'close'));
  server.forceShutdown();
  await Promise.all(ended);
  expect(existsSync(path)).toBe(false);
});

it('closes connections that wait for grpc-js when it shuts down', async () => {
  let fail: ((error: Error) => void) | undefined;
  const { path, server, load } = await listening(vi.fn(() => new Promise<never>((_, reject) => (fail = reject))));
  const socket = await connectedTo(path);
  await expect.poll(() => load).toHaveBeenCalled();
  const ended = once(socket, 'close');
  await server.tryShutdown();
  await ended;
  fail?.(new Error('too late'));
});

it('closes connections when grpc-js cannot be loaded, and tries again with the next', async () => {
  const { path, server } = await listening(vi.fn(loadGrpcJs).mockRejectedValueOnce(new Error('out of memory')));
  const first = await connectedTo(path);
  await once(first, 'close');
  const second = await connectedTo(path);
  await once(second, 'data');
  server.forceShutdown();
});
