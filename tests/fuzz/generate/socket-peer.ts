import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/**
 * Calls `work` with a Unix socket whose peer sends the same chunks on each connection, one after the other, then ends it. `connections` is the
 * number of connections so far.
 */
export async function withSocketPeer<T>(
  chunks: readonly Buffer[],
  work: (socketPath: string, connections: () => number) => Promise<T>,
): Promise<T> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).resume();
    void sendAll(socket, chunks);
  });
  try {
    return await withSocketPath(async (socketPath) => {
      await new Promise<void>((resolve) => server.listen(socketPath, resolve));
      return await work(socketPath, () => sockets.size);
    });
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
