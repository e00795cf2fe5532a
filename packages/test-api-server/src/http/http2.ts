import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Server as TlsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';

/** Concurrent requests of one connection, as an API server allows. */
const maxConcurrentStreams = 250;

/**
 * The protocol for a client's list: HTTP/1.1 if the client knows it, HTTP/2 if it insists. Node's HTTP/2 has had more flaws than its
 * HTTP/1.1, and here it is only for authenticated clients.
 */
export function chooseProtocol({ protocols }: { protocols: string[] }): string | undefined {
  return ['http/1.1', 'h2'].find((each) => protocols.includes(each));
}

/** Lets a TLS server with {@link chooseProtocol} serve HTTP/2, too. */
export function serveHttp2(server: TlsServer, onRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => void): void {
  const http2 = createSecureServer({ settings: { maxConcurrentStreams } });
  http2.on('request', (incoming: Http2ServerRequest, outgoing: Http2ServerResponse) => {
    // Node's compatibility API: the same methods and properties, as far as this server uses them.
    onRequest(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse);
  });
  const serveHttp1 = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.emit('secureConnection', socket);
    else for (const listener of serveHttp1) listener.call(server, socket);
  });
}

/** The HTTP/2 session of a request; undefined for HTTP/1.1. */
export function sessionOf(incoming: IncomingMessage): { destroy(): void; socket: unknown } | undefined {
  return (incoming as unknown as Http2ServerRequest).stream?.session;
}
