import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ForwardToService } from '../network/service-target.js';
import { connectionProblem } from './connection-problem.js';
import { trustedCertificates } from './trusted-certificates.js';

/** Headers of one connection (RFC 9110, section 7.6.1). */
const ofConnection = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Headers of the new request. */
const ofRequest = ['host', 'content-length'];

/** Headers with several values, one a line. */
const valuesOf = (value: string): string | string[] => (value.includes('\n') ? value.split('\n') : value);

/** Sends a request to the server of a Service or a pod. */
export const forwardToService: ForwardToService = (target, { url, method = 'GET', headers = {}, body, signal }) => {
  const { endpoint, serverName, client } = target;
  const { scheme, host, port } = endpoint;
  const send = scheme === 'http' ? httpRequest : httpsRequest;
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && ![...ofConnection, ...ofRequest].includes(entry[0]),
  );
  const text = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = send({
      ...{ host, port, path: url, method },
      // A kept connection may be closed by the server while a request that must not be repeated is sent.
      agent: false,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, valuesOf(value)])),
      ...(serverName ? { servername: serverName } : { rejectUnauthorized: false }),
      ca: trustedCertificates(target),
      // As in Go, a `caBundle` may hold the certificate itself.
      ...(target.ca && { allowPartialTrustChain: true }),
      ...client,
      ...(signal && { signal }),
    });
    outgoing.on('error', (error) => reject(new Error(connectionProblem(error, serverName ?? host))));
    outgoing.on('response', (incoming) => {
      const answered = Object.entries(incoming.headers).filter(([name]) => !ofConnection.includes(name));
      const own = Object.fromEntries(answered.map(([name, value]) => [name, String(value)]));
      resolve({ status: incoming.statusCode ?? 502, headers: own, body: incoming });
    });
    outgoing.end(text);
  });
};
