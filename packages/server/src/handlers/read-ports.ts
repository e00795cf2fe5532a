import type { IncomingHttpHeaders } from 'node:http';

/** Subprotocols that tunnel SPDY, in which the ports are sent later. */
const tunnelled = /^SPDY\/3\.1\+/i;

/** The ports that a WebSocket client requests, `port=1,2&port=3`; SPDY clients send a port with each stream. */
export function readPorts(headers: IncomingHttpHeaders, query: URLSearchParams): { ports: number[] } | { error: string } {
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  if (!isWebSocket || protocols.some((protocol) => tunnelled.test(protocol))) return { ports: [] };
  const texts = query.getAll('port').flatMap((text) => text.split(','));
  if (texts.length === 0) return { error: 'query parameter "port" is required' };
  const wrong = texts.find((text) => !/^[0-9]{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 65_535);
  return wrong === undefined ? { ports: texts.map(Number) } : { error: `invalid port ${JSON.stringify(wrong)}` };
}
