import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { type AddressInfo, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { RequestUser } from '../access/user.js';
import type { HttpAddress, HttpHandlers, HttpServer } from '../network/server-network.js';
import { maxBodyBytes } from '../requests/body-size.js';
import { mediaTypeOf } from '../requests/media-types.js';
import { protobufType } from '../requests/protobuf.js';
import { type ApiRequest, type ApiResponse, BytesBody } from '../requests/request.js';
import { requestTooLarge, unauthorized, wireStatusOf } from '../status.js';
import { gzipFor } from './compress.js';
import { Connections } from './connections.js';

/** How long a connection may be idle: longer than clients of Go keep theirs (90 s), whose writes fail if they meet its end. */
const idleTimeoutMs = 120_000;

/** Serves requests over HTTP/1.1, or with a certificate over HTTPS; there also over HTTP/2, for clients that insist. */
export async function serveHttp(handlers: HttpHandlers, { host, port, tls }: HttpAddress): Promise<HttpServer> {
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    connections.requested(incoming.socket, outgoing);
    void answer(handlers, incoming, outgoing);
  };
  const server: Server = tls ? (await import('./https-server.js')).createHttpsServer(tls, onRequest) : createServer(onRequest);
  server.keepAliveTimeout = idleTimeoutMs;
  const connections = new Connections(server, tls !== undefined);
  server.on('upgrade', (incoming, socket, head) => {
    connections.requested(incoming.socket);
    void passUpgrade(handlers, incoming, socket, head);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    quiet: connections.quiet,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.destroy();
      }),
  };
}

/** The HTTP/2 session of a request; undefined for HTTP/1.1. */
function sessionOf(incoming: IncomingMessage): { destroy(): void; socket: unknown } | undefined {
  return (incoming as unknown as Http2ServerRequest).stream?.session;
}

async function answer(handlers: HttpHandlers, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const abort = new AbortController();
  const session = sessionOf(incoming);
  outgoing.once('close', () => {
    abort.abort();
    if (session && outgoing.statusCode === 401) session.destroy();
  });
  try {
    const request = requestOf(incoming);
    if (session && !request.user && !request.headers?.authorization) throw unauthorized();
    const response = await handlers.handle({ ...request, body: await bodyOf(incoming), signal: abort.signal });
    await send(incoming, outgoing, response);
  } catch (error) {
    if (outgoing.headersSent || isCut(error)) {
      outgoing.destroy();
      return;
    }
    const status = wireStatusOf(error);
    const headers = { 'content-type': 'application/json', ...(!session && { connection: 'close' }) };
    outgoing.writeHead(status.code, headers).end(JSON.stringify(status));
  }
}

async function send(incoming: IncomingMessage, outgoing: ServerResponse, response: ApiResponse): Promise<void> {
  const { status, headers } = response;
  const body = response.body instanceof BytesBody ? response.body.bytes : response.body;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    outgoing.writeHead(status, headers);
    outgoing.flushHeaders?.();
    for await (const piece of body) {
      if (!outgoing.write(piece)) await drained(outgoing);
    }
    outgoing.end();
    return;
  }
  const zipped = await gzipFor(incoming.headers['accept-encoding'] as string | undefined, body);
  if (zipped) outgoing.setHeader('content-encoding', 'gzip').setHeader('vary', 'Accept-Encoding');
  outgoing.writeHead(status, headers);
  outgoing.end(incoming.method === 'HEAD' ? undefined : (zipped ?? body));
}

const isCut = (error: unknown) => (error as { code?: unknown }).code === 'ApiUnreachable';

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.once('drain', done);
    outgoing.once('close', done);
  });
}

function requestOf(incoming: IncomingMessage): ApiRequest {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  );
  const user = certificateUser((sessionOf(incoming)?.socket ?? incoming.socket) as TLSSocket);
  return { method: incoming.method ?? 'GET', url: incoming.url ?? '/', headers, ...(user && { user }) };
}

/** The user of a client certificate: its common name, with its organizations as groups. */
function certificateUser(socket: TLSSocket): RequestUser | undefined {
  if (!socket.authorized) return undefined;
  const { CN, O } = (socket.getPeerCertificate()?.subject ?? {}) as { CN?: string; O?: string | string[] };
  if (!CN) return undefined;
  return { username: CN, groups: [...(O === undefined ? [] : [O].flat()), 'system:authenticated'] };
}

async function bodyOf(incoming: IncomingMessage): Promise<string | Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxBodyBytes) throw requestTooLarge(maxBodyBytes);
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  const type = mediaTypeOf(incoming.headers['content-type']);
  return type === protobufType || !(/json|yaml/.test(type) || isUtf8(bytes)) ? bytes : bytes.toString();
}

/** Connects a client's upgraded connection (SPDY or WebSocket) with the node's, byte by byte. */
async function passUpgrade(handlers: HttpHandlers, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    const { nodeName, host, port, path } = await handlers.upgradeTarget(requestOf(request));
    const node = handlers.nodeServers(nodeName);
    if (node) return await (await import('./remote-command.js')).serveRemoteCommand({ request, socket, head }, path, node);
    const { scheme, ca, cert, key } = handlers.nodeProxy();
    const target = new URL(path, `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
    const { relayUpgrade } = await import('@nodeagent/streaming');
    relayUpgrade({
      request,
      socket,
      head,
      target,
      tls: { rejectUnauthorized: ca !== undefined, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
    });
  } catch (error) {
    refuseUpgrade(socket, error);
  }
}

function refuseUpgrade(socket: Duplex, error: unknown): void {
  const status = wireStatusOf(error);
  const body = JSON.stringify(status);
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status.code} ${status.reason ?? ''}\r\n${headers}\r\n\r\n${body}`);
}
