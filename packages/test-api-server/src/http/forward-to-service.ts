import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ForwardToService } from '../network/service-target.js';

/** Headers of one connection (RFC 9110, section 7.6.1), of the client's credentials, and of a body that may be another text of the same object. */
const dropped = [
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'transfer-encoding',
  'host',
  'authorization',
  'content-length',
  'accept-encoding',
];

/** Headers with several values, one a line. */
const valuesOf = (value: string): string | string[] => (value.includes('\n') ? value.split('\n') : value);

/** Sends a request to the server of a Service or a pod. */
export const forwardToService: ForwardToService = (
  { endpoint: { scheme, host, port }, serverName, ca, client },
  { url, method = 'GET', headers = {}, body, signal },
) => {
  const send = scheme === 'http' ? httpRequest : httpsRequest;
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined && !dropped.includes(entry[0]));
  const text = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = send({
      ...{ host, port, path: url, method },
      headers: Object.fromEntries(kept.map(([name, value]) => [name, valuesOf(value)])),
      ...(serverName ? { servername: serverName } : { rejectUnauthorized: false }),
      ...(ca && { ca }),
      ...client,
      ...(signal && { signal }),
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const names = ['content-type', 'warning', 'etag', 'retry-after', 'location'];
      const answered = names.flatMap((name) => (incoming.headers[name] === undefined ? [] : [[name, String(incoming.headers[name])]]));
      resolve({ status: incoming.statusCode ?? 502, headers: Object.fromEntries(answered) as Record<string, string>, body: incoming });
    });
    outgoing.end(text);
  });
};
