import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface TunnelOptions {
  server: URL;
  proxy: URL;
  /** TLS options of the connection to the server. */
  security: { servername?: string };
}

type Connected = (error: Error | null, socket?: Socket) => void;

/** An agent's `createConnection` through an HTTP proxy by CONNECT (RFC 9110, section 9.3.6). */
export function tunnelConnection({ server, proxy, security }: TunnelOptions): (options: object, connected: Connected) => void {
  const isSecure = server.protocol === 'https:';
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const authority = `${server.hostname}:${server.port || (isSecure ? 443 : 80)}`;
  const headers: Record<string, string> = { host: authority };
  if (proxy.username !== '') {
    const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
    headers['proxy-authorization'] = `Basic ${Buffer.from(login).toString('base64')}`;
  }
  const open = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return (_options, connected) => {
    const request = open({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
    });
    request.once('error', (error) => connected(error));
    request.once('connect', (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        return connected(new Error(`the proxy ${proxy.host} responded ${response.statusCode} ${response.statusMessage}`));
      }
      if (!isSecure) return connected(null, socket as Socket);
      connected(null, connectTls({ servername: isIP(host) === 0 ? host : '', ...security, host, socket: socket as Socket }));
    });
    request.end();
  };
}
