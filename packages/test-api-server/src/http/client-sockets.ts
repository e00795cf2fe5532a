import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const channel = 'net.client.socket';

/** The sockets of clients in this process, which `node:net` announces. */
export interface ClientSockets {
  /**
   * Whether these sockets are those of the clients of this process, and every byte has arrived: what follows is computed, not transmitted. False if
   * a client is in another process, or is also connected elsewhere.
   */
  haveReceivedAll(servers: Iterable<Socket>): boolean;
  stop(): void;
}

export function followClientSockets(): ClientSockets {
  const clients = new Set<Socket>();
  const follow = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    clients.add(socket);
    socket.once('close', () => clients.delete(socket));
  };
  subscribe(channel, follow);
  return {
    haveReceivedAll(servers) {
      const byPort = new Map([...clients].map((client) => [client.localPort, client]));
      for (const server of servers) {
        const client = byPort.get(server.remotePort);
        if (client === undefined || !isLevel(server, client)) return false;
        byPort.delete(server.remotePort);
      }
      return byPort.size === 0;
    },
    stop: () => unsubscribe(channel, follow),
  };
}

const isLevel = (server: Socket, client: Socket) => server.bytesRead === client.bytesWritten && server.bytesWritten === client.bytesRead;
