import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectPlain, isIP, type NetConnectOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** Options of {@link dialUpgrade}. */
export interface DialUpgradeOptions {
  /** An `http:` or `https:` address with path and query. */
  target: URL;
  /** Default GET. */
  method?: string;
  /** Alternating names and values, without `Host` and without headers of a body: the request has none. */
  headers: readonly string[];
  /** TLS options for an `https:` target. Default: verify its certificate with Node's CAs, send no client certificate. */
  tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized'>;
  /** A unix socket to connect to instead of the target's host and port. */
  socketPath?: string;
  /** Aborts the attempt. It does not close an established connection: the caller does. */
  signal?: AbortSignal;
}

/** The target's response: an upgraded connection, or a regular response whose body the caller reads. */
export type UpgradeResponse = { answer: IncomingMessage; socket?: undefined } | { answer: IncomingMessage; socket: Socket; head: Buffer };

/** Requests an upgraded connection. Its two directions close independently. Rejects if the target cannot be reached. */
export function dialUpgrade({ target, method = 'GET', headers, tls, socketPath, signal }: DialUpgradeOptions): Promise<UpgradeResponse> {
  const isTls = target.protocol === 'https:';
  const host = target.hostname.replace(/^\[(.*)\]$/, '$1');
  const fixed = { ...tls, ...(isIP(host) === 0 && { servername: host }), ...(socketPath && { path: socketPath }), allowHalfOpen: true };
  return new Promise((resolve, reject) => {
    const outgoing = (isTls ? requestHttps : requestHttp)({
      host,
      port: target.port || (isTls ? 443 : 80),
      path: target.pathname + target.search,
      method,
      // Without Content-Length: 0 Node would send an empty chunked body, which the target would read as data of the upgraded protocol.
      headers: ['Host', target.host, 'Content-Length', '0', ...headers] as unknown as RequestOptions['headers'],
      createConnection: (options: object) => {
        const { path: _requestPath, ...rest } = options as { path?: string };
        const all = { ...rest, ...fixed };
        return isTls ? connectTls(all) : connectPlain(all as unknown as NetConnectOpts);
      },
      ...(signal && { signal }),
    });
    outgoing.on('upgrade', (answer, socket: Socket, head) => {
      disableIdleTimeout(socket);
      socket.on('error', () => {});
      resolve({ answer, socket, head });
    });
    outgoing.on('response', (answer) => resolve({ answer }));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Disables the idle timeout of a connection: its endpoints close it. */
export function disableIdleTimeout(socket: Duplex): void {
  if (!(socket instanceof Socket)) return;
  socket.setTimeout(0);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
}
