import type { IncomingMessage } from 'node:http';

/** WebSocket clients, which cannot set headers in a browser, put the token into the name of a subprotocol. */
const protocolPrefix = 'base64url.bearer.authorization.k8s.io.';

/** The headers of a request. */
export type RequestHeaders = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** The bearer token of the request: `Authorization: Bearer TOKEN`, or a WebSocket subprotocol. Undefined if there is none. */
export function bearerToken({ headers }: RequestHeaders): string | undefined {
  const [scheme, token] = (headers.authorization ?? '').trim().split(' ');
  if (scheme?.toLowerCase() === 'bearer' && token) return token;
  const named = protocolsOf(headers['sec-websocket-protocol']).find((protocol) => protocol.startsWith(protocolPrefix));
  const encoded = named?.slice(protocolPrefix.length);
  return encoded && /^[\w-]+$/.test(encoded) ? Buffer.from(encoded, 'base64url').toString() || undefined : undefined;
}

/** Removes the credentials from the request before it is relayed. */
export function removeCredentials(request: RequestHeaders): void {
  delete request.headers.authorization;
  const protocols = protocolsOf(request.headers['sec-websocket-protocol']).filter((protocol) => !protocol.startsWith(protocolPrefix));
  if (protocols.length > 0) request.headers['sec-websocket-protocol'] = protocols.join(', ');
  else delete request.headers['sec-websocket-protocol'];
  const raw: string[] = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (lower !== 'authorization' && lower !== 'sec-websocket-protocol') raw.push(name, value);
  }
  if (protocols.length > 0) raw.push('Sec-WebSocket-Protocol', protocols.join(', '));
  request.rawHeaders = raw;
}

const protocolsOf = (header: string | string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
