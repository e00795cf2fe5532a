import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { CallWebhook } from '../webhooks/webhook-port.js';
import { connectionProblem } from './connection-problem.js';
import { trustedCertificates } from './trusted-certificates.js';

/** Answers beyond this size are refused. */
const maxAnswerBytes = 3 * 1024 * 1024;

/**
 * Calls a webhook over HTTPS, unless its endpoint has another scheme; its certificate must be valid for the name in the URL. As in Go, a
 * `caBundle` may hold the certificate itself, or an intermediate one.
 */
export const callWebhook: CallWebhook = (call) => {
  const { url, endpoint, body, signal } = call;
  const { hostname, host, port, pathname, search } = new URL(url);
  const send = endpoint?.scheme === 'http' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send({
      host: endpoint?.host ?? hostname,
      port: endpoint?.port ?? (port || 443),
      ...(isIP(hostname) === 0 && { servername: hostname }),
      path: pathname + search,
      method: 'POST',
      headers: {
        host,
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'kube-apiserver-admission',
      },
      agent: false,
      signal,
      ca: trustedCertificates(call),
      ...(call.ca && { allowPartialTrustChain: true }),
    });
    outgoing.on('error', (error) => reject(new Error(connectionProblem(error, hostname))));
    outgoing.on('response', (incoming) => {
      const pieces: Buffer[] = [];
      let size = 0;
      incoming.on('data', (piece: Buffer) => {
        size += piece.length;
        pieces.push(piece);
        if (size > maxAnswerBytes) outgoing.destroy(new Error(`the answer is larger than ${maxAnswerBytes} bytes`));
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 502, body: Buffer.concat(pieces).toString('utf8') }));
      incoming.on('error', (error) => reject(new Error(connectionProblem(error, hostname))));
    });
    outgoing.end(body);
  });
};
