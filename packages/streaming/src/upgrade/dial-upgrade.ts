import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectPlain, isIP, type NetConnectOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** Whom to ask for an upgraded connection, and how. */
export interface DialUpgradeOptions {
  /** An `http:` or `https:` address with path and query. */
  target: URL;
  /** Default GET. */
  method?: string;
  /** Names and values in turn, without `Host` and what tells of a body, as there is none. */
  headers: readonly string[];
  /** How an `https:` target is spoken to. Default: its certificate must be one that Node trusts, and it gets none. */
  tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized'>;
  /** A unix socket to connect to instead of the target's host and port. */
  socketPath?: string;
  /** Ends the attempt; the connection that came of it is the caller's. */
  signal?: AbortSignal;
}

/** What a target answered: a connection that speaks another protocol from now on, or a usual answer, whose body the caller reads. */
export type UpgradeAnswer = { answer: IncomingMessage; socket?: undefined } | { answer: IncomingMessage; socket: Socket; head: Buffer };

/** Asks for an upgraded connection. Each of its directions ends by itself. Rejects if the target cannot be reached. */
export function dialUpgrade({ target, method = 'GET', headers, tls, socketPath, signal }: DialUpgradeOptions): Promise<UpgradeAnswer> {
  const isTls = target.protocol === 'https:';
  const host = target.hostname.replace(/^\[(.*)\]$/, '$1');
  const fixed = { ...tls, ...(isIP(host) === 0 && { servername: host }), ...(socketPath && { path: socketPath }), allowHalfOpen: true };
  return new Promise((resolve, reject) => {
    const outgoing = (isTls ? requestHttps : requestHttp)({
      host,
      port: target.port || (isTls ? 443 : 80),
      path: target.pathname + target.search,
      method,
      // Without a length of zero Node would send an empty body of chunks, which the other side takes for the upgraded protocol.
      headers: ['Host', target.host, 'Content-Length', '0', ...headers] as unknown as RequestOptions['headers'],
      createConnection: (options: object) => {
        const { path: _requestPath, ...rest } = options as { path?: string };
        const all = { ...rest, ...fixed };
        return isTls ? connectTls(all) : connectPlain(all as unknown as NetConnectOpts);
      },
      ...(signal && { signal }),
    });
    outgoing.on('upgrade', (answer, socket: Socket, head) => {
      keepOpen(socket);
      socket.on('error', () => {});
      resolve({ answer, socket, head });
    });
    outgoing.on('response', (answer) => resolve({ answer }));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Lets a connection be silent for as long as its two ends like: whoever serves the streams ends them. */
export function keepOpen(socket: Duplex): void {
  if (!(socket instanceof Socket)) return;
  socket.setTimeout(0);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
}
