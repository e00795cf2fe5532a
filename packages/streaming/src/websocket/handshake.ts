import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { unacceptable } from '../errors.js';

/** The GUID that RFC 6455 section 1.3 appends to a client's key. */
const keySuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** The value of the `Upgrade` header in lower case; empty if it is missing. */
export const upgradeOf = ({ headers }: IncomingMessage): string => (headers.upgrade ?? '').toLowerCase();

/** Whether the request is a WebSocket upgrade. */
export const isWebSocket = (request: IncomingMessage): boolean => upgradeOf(request) === 'websocket';

/** The subprotocols that a WebSocket client offers, in its order. */
export function offeredProtocols({ headers }: IncomingMessage): string[] {
  return (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/**
 * The head of the response that switches a connection to a WebSocket with this subprotocol.
 *
 * @throws NodeAgentError UpgradeUnacceptable
 */
export function acceptWebSocket(request: IncomingMessage, protocol: string): string {
  const key = request.headers['sec-websocket-key'] ?? '';
  if (request.headers['sec-websocket-version'] !== '13' || Buffer.from(key, 'base64').length !== 16) {
    throw unacceptable(400, 'not a WebSocket handshake of version 13');
  }
  const accept = createHash('sha1')
    .update(key + keySuffix)
    .digest('base64');
  const lines = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`, `Sec-WebSocket-Protocol: ${protocol}`];
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`;
}
