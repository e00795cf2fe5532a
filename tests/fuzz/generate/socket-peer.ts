import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/**
 * Calls `work` with a Unix socket whose peer sends the same chunks on each connection, one after the other, then ends it. `connections` is the
 * number of connections so far.
 */
export function withSocketPeer<T>(
  chunks: readonly Buffer[],
  work: (socketPath: string, connections: () => number) => Promise<T>,
): Promise<T> {
  return withSocketPath((path) =>
    withPeer(
      (socket) => void sendAll(socket, chunks),
      { path },
      (_, connections) => work(path, connections),
    ),
  );
}

/** Calls `work` with a TCP port of this machine. Whenever the peer behind it receives bytes, it sends those that `reply` returns. */
export function withPortPeer<T>(reply: (received: Buffer) => Buffer, work: (port: number) => Promise<T>): Promise<T> {
  const onConnection = (socket: Socket) => socket.on('data', (received) => socket.write(reply(received)));
  return withPeer(onConnection, { host: '127.0.0.1', port: 0 }, (server) => work((server.address() as AddressInfo).port));
}

async function withPeer<T>(
  onConnection: (socket: Socket) => void,
  address: ListenOptions,
  work: (server: Server, connections: () => number) => Promise<T>,
): Promise<T> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).resume();
    onConnection(socket);
  });
  try {
    await new Promise<void>((resolve) => server.listen(address, resolve));
    return await work(server, () => sockets.size);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** Calls `work` with the path of a socket in a folder that is removed afterwards. */
export async function withSocketPath<T>(work: (socketPath: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-fuzz-'));
  try {
    return await work(join(folder, 'peer.sock'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each chunk has a turn of the event loop, in which the other side reads it before the next one. */
async function sendAll(socket: Socket, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) {
    if (!socket.writable) return;
    socket.write(chunk);
    await setImmediate();
  }
  socket.end();
}
