import type { Socket } from 'node:net';

/** Limits the connections of a listener, such that clients without credentials cannot keep others out. */
export interface ConnectionLimit {
  /** Counts a new TCP connection. At the limit it closes the oldest one whose client has not authenticated, or else the new one. */
  admit(socket: Socket): void;
  /** The client of this connection, TCP or TLS, has authenticated: the connection is not closed for a newer one. */
  keep(socket: Socket): void;
  /** Closes all. */
  close(): void;
}

/** Holds at most `maxConnections` connections. */
export function createConnectionLimit(maxConnections: number): ConnectionLimit {
  const open = new Map<string, Socket>();
  /** Those of `open` whose client has not authenticated, the oldest first. */
  const unauthenticated = new Map<string, Socket>();

  const forget = (key: string, socket: Socket) => {
    // The address may belong to a newer connection by now.
    if (open.get(key) !== socket) return;
    open.delete(key);
    unauthenticated.delete(key);
  };

  return {
    admit(socket) {
      const key = addressesOf(socket);
      if (open.size >= maxConnections) {
        const [oldest] = unauthenticated;
        if (oldest === undefined) {
          socket.destroy();
          return;
        }
        oldest[1].destroy();
        forget(...oldest);
      }
      open.set(key, socket);
      unauthenticated.set(key, socket);
      socket.once('close', () => forget(key, socket));
    },
    keep: (socket) => void unauthenticated.delete(addressesOf(socket)),
    close() {
      for (const socket of open.values()) socket.destroy();
    },
  };
}

/** The same for a TLS connection and the TCP connection below it, which Node does not name. */
const addressesOf = ({ remoteAddress, remotePort, localAddress }: Socket) => `${remoteAddress} ${remotePort} ${localAddress}`;
