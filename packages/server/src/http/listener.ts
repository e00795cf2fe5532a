import { createServer, type IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type Clock, type Logger, NodeAgentError, silentLogger, systemClock } from '@nodeagent/api';
import { serverErrorCodes } from '../errors.js';
import { secureContext } from '../tls/secure-context.js';
import type { TlsMaterial, TlsSource } from '../tls/tls-source.js';
import type { ConnectionLimit } from './connection-limit.js';
import type { Upgrade } from './exchange.js';
import { createPipelineLimit } from './pipeline-limit.js';
import { refuseBytes } from './refuse-bytes.js';

/** Where to listen. */
export interface ListenAddress {
  /** Default: all addresses of the machine. */
  address?: string;
  /** 0 for any free port. Optional for HTTPS: 10250. */
  port: number;
}

export interface ListenerOptions extends ListenAddress {
  /** Serves over HTTPS. */
  tls?: TlsSource;
  /** Which connections are held, of this listener alone. */
  connections: ConnectionLimit;
  /** How long a client may take to send the head of a request, in milliseconds. Default 30 s. */
  headersTimeout?: number;
  /** Default: the system clock. */
  clock?: Pick<Clock, 'sleep'>;
  /** Logs handshakes without a serving certificate. Default: silent. */
  logger?: Logger;
  serve(request: IncomingMessage, response: ServerResponse, upgrade: Upgrade | undefined): void;
}

export interface Listener {
  readonly port: number;
  /** Cuts all connections. */
  close(): Promise<void>;
}

const seconds = 1_000;
const hours = 3_600 * seconds;

/** The kubelet's timeouts. The header limit is smaller than the kubelet's, because it bounds the memory of an unauthenticated client. */
const limitsOf = ({ headersTimeout = 30 * seconds }: ListenerOptions) => ({
  maxHeaderSize: 64 * 1024,
  headersTimeout,
  connectionsCheckingInterval: headersTimeout,
  keepAliveTimeout: 90 * seconds,
  requestTimeout: 4 * hours,
});
const silence = 4 * hours;
const handshakeTimeout = 10 * seconds;

/** Listens over HTTP/1.1. Rejects with `ListenFailed`. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { tls, address, port, connections, clock = systemClock, logger = silentLogger, serve } = options;
  const limits = limitsOf(options);
  const server = tls === undefined ? createServer(limits) : createSecureServer(tls, limits, logger);
  server.on('connection', connections.admit);
  server.timeout = silence;
  // A client that only closes its sending side gets the response, as from a kubelet.
  Object.assign(server, { httpAllowHalfOpen: true });
  refuseBytes(server, clock);
  const isServed = createPipelineLimit();
  server.on('request', (request, response) => {
    if (isServed(request, response)) serve(request, response, undefined);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { response, upgrade } = upgradable(request, socket, head);
    serve(request, response, upgrade);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(listenFailed(options, cause)));
    server.listen({ port, ...(address !== undefined && { host: address }) }, resolve);
  });
  server.removeAllListeners('error');
  server.on('error', () => {});
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.close();
      }),
  };
}

function createSecureServer(source: TlsSource, limits: ServerOptions, logger: Logger): TlsServer {
  let current = source();
  const verifiedBy = new WeakMap<object, TlsMaterial>();
  const asksForCertificates = current.clientCA !== undefined;
  const server = createTlsServer({
    ...limits,
    ...secureContext(current),
    handshakeTimeout,
    ALPNProtocols: ['http/1.1'],
    requestCert: asksForCertificates,
    rejectUnauthorized: false,
  });
  const refresh = () => {
    const newest = source();
    if (newest === current) return;
    server.setSecureContext(secureContext(newest));
    const hasNewCA = newest.clientCA !== current.clientCA;
    current = newest;
    if (hasNewCA) server.closeIdleConnections();
  };
  server.prependListener('connection', refresh);
  server.on('secureConnection', (socket: TLSSocket) => verifiedBy.set(socket, current));
  server.on('request', (request, response) => {
    refresh();
    // A connection that a previous CA has verified gets its response and is then closed.
    if (verifiedBy.get(request.socket)?.clientCA !== current.clientCA) response.shouldKeepAlive = false;
  });
  server.on('tlsClientError', (_error, socket) => {
    if (current.cert === undefined) {
      logger.info(`http: TLS handshake error from ${peerOf(socket)}: no serving certificate available for the kubelet`);
    }
    socket.destroy();
  });
  return server;
}

const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress}:${remotePort}`;

/** A response on the connection of an upgrade request, which the handler may use for another protocol. */
function upgradable(request: IncomingMessage, socket: Duplex, head: Buffer): { response: ServerResponse; upgrade: Upgrade } {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  const fail = () => socket.destroy();
  socket.on('error', fail);
  response.once('finish', () => {
    response.detachSocket(socket as Socket);
    (socket as Socket).destroySoon();
  });
  return {
    response,
    upgrade: {
      take() {
        response.detachSocket(socket as Socket);
        socket.off('error', fail);
        return { socket, head };
      },
    },
  };
}

function listenFailed({ address, port }: ListenAddress, cause: Error): NodeAgentError {
  const { code } = cause as NodeJS.ErrnoException;
  const hint = code === 'EADDRINUSE' ? 'Another program, such as a kubelet, listens there: end it, or choose another port.' : undefined;
  return new NodeAgentError(serverErrorCodes.listenFailed, `failed to listen on ${address ?? ''}:${port}: ${cause.message}`, {
    retryable: true,
    ...(hint && { hint }),
    cause,
  });
}
