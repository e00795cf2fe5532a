import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectPlain, isIP, type NetConnectOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls, TLSSocket } from 'node:tls';
import { errorMessage, type Logger, silentLogger } from '@nodeagent/api';

/** A request to upgrade a connection, as the `upgrade` event of Node's HTTP servers hands it over, and where it goes on. */
export interface RelayUpgradeOptions {
  request: IncomingMessage;
  socket: Duplex;
  /** What came after the request's head already. */
  head: Buffer;
  /** The `http:` or `https:` address, with path and query, that takes the request's place; such as CRI's Exec, Attach and PortForward answer. */
  target: URL;
  /** How an `https:` target is spoken to. Default: its certificate must be one that Node trusts, and it gets none. */
  tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized'>;
  /** Breaks both connections. */
  signal?: AbortSignal;
  /** Told, at debug level, why a relay broke. Default silent. */
  logger?: Logger;
}

/** Headers that belong to this hop, and the caller's credentials, which are nobody's business behind it. */
const ownHeaders = new Set(['host', 'authorization', 'content-length', 'transfer-encoding', 'expect']);

/** Headers of an answer that told how its body came; it is sent on until the connection ends. */
const framingHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** How long a client may take to close a connection whose answer it has. */
const lingerMs = 5000;

/**
 * Hands an upgraded connection through to another server byte for byte: SPDY/3.1, WebSocket or whatever both sides agree on. The
 * request goes on with its method and headers, without credentials. Each direction ends by itself, a break of one side breaks the
 * other, and a slow reader slows the writer: nothing is kept beyond the sockets' own buffers.
 *
 * An answer that is no upgrade is handed back as it is, and the connection ends with it: nothing that the client sends reaches a target
 * that has not switched protocols. A target that cannot be reached is answered with status 500 and the reason as text.
 */
export function relayUpgrade({ request, socket, head, target, tls, signal, logger = silentLogger }: RelayUpgradeOptions): void {
  const lost = new AbortController();
  const broken = (reason: string) => {
    logger.debug({ reason }, 'the relay of an upgraded connection broke');
    lost.abort();
    breakOff(socket);
  };
  const onAbort = () => broken('aborted');
  socket.on('error', (error) => broken(errorMessage(error)));
  socket.once('close', () => {
    lost.abort();
    signal?.removeEventListener('abort', onAbort);
  });
  if (signal?.aborted) {
    onAbort();
    return;
  }
  signal?.addEventListener('abort', onAbort, { once: true });
  keepOpen(socket);

  const outgoing = (target.protocol === 'https:' ? requestHttps : requestHttp)({
    host: hostOf(target),
    port: target.port || (target.protocol === 'https:' ? 443 : 80),
    path: target.pathname + target.search,
    method: request.method,
    headers: ['Host', target.host, ...headersOf(request, ownHeaders)] as unknown as RequestOptions['headers'],
    createConnection: connectionTo(target, tls),
  });
  lost.signal.addEventListener('abort', () => outgoing.destroy(), { once: true });
  outgoing.on('upgrade', (answer, other: Socket, otherHead) => {
    if (socket.destroyed) {
      breakOff(other);
      return;
    }
    keepOpen(other);
    join(socket, other);
    join(other, socket);
    socket.write(answerHead(answer, headersOf(answer)), 'latin1');
    socket.write(otherHead);
    other.write(head);
  });
  outgoing.on('response', (answer) => {
    socket.write(answerHead(answer, [...headersOf(answer, framingHeaders), 'Connection', 'close']), 'latin1');
    answer.on('error', (error) => broken(errorMessage(error)));
    answer.on('end', () => linger(socket));
    answer.pipe(socket);
  });
  outgoing.on('error', (error) => {
    if (lost.signal.aborted) return;
    logger.debug({ error: errorMessage(error) }, 'the target of an upgraded connection cannot be reached');
    const text = `${errorMessage(error)}\n`;
    const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', `${Buffer.byteLength(text)}`, 'Connection', 'close'];
    socket.write(headText('500 Internal Server Error', headers), 'latin1');
    socket.end(text);
    linger(socket);
  });
  outgoing.end();
}

/** Sends on what one side gives, and its end. A side that is gone before both directions have ended takes the other with it. */
function join(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on('error', () => breakOff(to));
  from.once('close', () => {
    if (from.readableEnded && from.writableFinished) to.end();
    else breakOff(to);
  });
}

/** Ends a connection so that the other side can tell it from a regular end, where the transport can say so. */
function breakOff(socket: Duplex): void {
  if (socket instanceof Socket && !(socket instanceof TLSSocket) && !socket.destroyed) socket.resetAndDestroy();
  else socket.destroy();
}

/** Lets the client read its answer: closing a connection with unread input would reset it. */
function linger(socket: Duplex): void {
  socket.resume();
  socket.once('end', () => socket.destroy());
  if (socket instanceof Socket) socket.setTimeout(lingerMs, () => socket.destroy());
}

/** Streams may be silent for as long as they like: whoever serves them ends them. */
function keepOpen(socket: Duplex): void {
  if (!(socket instanceof Socket)) return;
  socket.setTimeout(0);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
}

/** Connections of `http.request`'s own end as soon as the other side has no more to say; these do not. */
function connectionTo(target: URL, tls: RelayUpgradeOptions['tls']) {
  const host = hostOf(target);
  const fixed = { ...tls, ...(isIP(host) === 0 && { servername: host }), allowHalfOpen: true };
  return (options: object) => {
    const all = { ...options, ...fixed };
    return target.protocol === 'https:' ? connectTls(all) : connectPlain(all as unknown as NetConnectOpts);
  };
}

/** The host of a URL, without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, '$1');

/** The headers as they were written, in their order, as a flat list of names and values. */
function headersOf({ rawHeaders }: IncomingMessage, without: ReadonlySet<string> = new Set()): string[] {
  return rawHeaders.filter((_, at) => !without.has((rawHeaders[at - (at % 2)] ?? '').toLowerCase()));
}

const answerHead = ({ statusCode, statusMessage }: IncomingMessage, headers: readonly string[]) =>
  headText(`${statusCode} ${statusMessage ?? ''}`, headers);

function headText(status: string, headers: readonly string[]): string {
  const lines = [`HTTP/1.1 ${status}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
