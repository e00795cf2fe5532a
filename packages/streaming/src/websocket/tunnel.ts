import type { Duplex } from 'node:stream';
import { resetConnection } from '../upgrade/join.js';
import type { WebSocketConnection } from './connection.js';

/** The prefix of a WebSocket subprotocol that tunnels a SPDY connection in its messages. */
export const tunnelPrefix = 'SPDY/3.1+';

/** Joins a WebSocket tunnel with a connection: the binary messages carry the connection's bytes. */
export function joinTunnel(connection: WebSocketConnection, socket: Duplex): void {
  socket.on('data', (data: Buffer) => {
    socket.pause();
    connection.send(data, (error) => {
      if (error) resetConnection(socket);
      else socket.resume();
    });
  });
  socket.once('end', () => connection.close());
  socket.once('close', () => connection.close(1011));
  void writeMessages(connection, socket);
}

async function writeMessages(connection: WebSocketConnection, socket: Duplex): Promise<void> {
  try {
    for await (const { data } of connection.messages()) {
      if (socket.writable && !socket.write(data)) await room(socket);
    }
    socket.end();
  } catch {
    resetConnection(socket);
  }
}

function room(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.once('drain', done);
    socket.once('close', done);
  });
}
