import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer, type Server as TlsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { HttpAddress } from '../network/server-network.js';

/** Concurrent requests of one connection, as an API server allows. */
const maxConcurrentStreams = 250;

/** A server of HTTPS: HTTP/1.1, and HTTP/2 for clients that insist. */
export function createHttpsServer(tls: NonNullable<HttpAddress['tls']>, onRequest: RequestListener): TlsServer {
  const server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false, ALPNCallback: chooseProtocol }, onRequest);
  serveHttp2(server, onRequest);
  return server;
}

/**
 * The protocol for a client's list: HTTP/1.1 if the client knows it, HTTP/2 if it insists. Node's HTTP/2 has had more flaws than its
 * HTTP/1.1, and here it is only for authenticated clients.
 */
function chooseProtocol({ protocols }: { protocols: string[] }): string | undefined {
  return ['http/1.1', 'h2'].find((each) => protocols.includes(each));
}

/** Lets a TLS server with {@link chooseProtocol} serve HTTP/2, too. */
function serveHttp2(server: TlsServer, onRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => void): void {
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
