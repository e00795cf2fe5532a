import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import { loadGrpcJs } from './load-grpc-js.js';

type GrpcJs = typeof import('@grpc/grpc-js');

/** A server of grpc-js on a Unix socket that is created, and its library loaded, with the first connection. */
export interface LazyGrpcServer {
  /** Rejects with the error of the system. */
  listen(path: string): Promise<void>;
  /** Rejects new connections and calls, removes the socket, and resolves when all connections have ended. */
  tryShutdown(): Promise<void>;
  /** Closes all connections. */
  forceShutdown(): void;
}

/** More connections are closed at once: each takes a file descriptor, and memory for its session. */
const maxConnections = 500;

/** An agent serves sockets for plugins that few nodes have; grpc-js takes 5 MiB and 40 ms. */
export function lazyGrpcServer(create: (grpcJs: GrpcJs) => Server, loadLibrary = loadGrpcJs): LazyGrpcServer {
  // Paused: a client may send its first frame while grpc-js is loaded.
  const listener = createServer({ pauseOnConnect: true }, (socket) => void accept(socket));
  listener.maxConnections = maxConnections;
  const waiting = new Set<Socket>();
  let server: Server | undefined;
  let inject: Promise<(socket: Socket) => void> | undefined;

  async function load(): Promise<(socket: Socket) => void> {
    const grpcJs = await loadLibrary();
    server = create(grpcJs);
    const injector = server.createConnectionInjector(grpcJs.ServerCredentials.createInsecure());
    return (socket) => injector.injectConnection(socket);
  }

  async function accept(socket: Socket): Promise<void> {
    waiting.add(socket);
    try {
      inject ??= load().catch((error) => {
        inject = undefined;
        throw error;
      });
      const injectConnection = await inject;
      if (!listener.listening || socket.destroyed) return void socket.destroy();
      injectConnection(socket);
      socket.resume();
    } catch {
      socket.destroy();
    } finally {
      waiting.delete(socket);
    }
  }

  const closeListener = () => {
    if (listener.listening) listener.close();
    for (const socket of waiting) socket.destroy();
  };

  return {
    async listen(path) {
      listener.listen(path);
      await once(listener, 'listening');
    },
    async tryShutdown() {
      const closed = listener.listening ? once(listener, 'close') : undefined;
      closeListener();
      await new Promise<void>((resolve) => (server ? server.tryShutdown(() => resolve()) : resolve()));
      await closed;
    },
    forceShutdown() {
      closeListener();
      server?.forceShutdown();
    },
  };
}
