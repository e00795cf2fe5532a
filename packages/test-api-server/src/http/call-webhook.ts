import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { CallWebhook, WebhookCall } from '../webhooks/webhook-port.js';

/** Answers beyond this size are refused. */
const maxAnswerBytes = 3 * 1024 * 1024;

/** Calls a webhook over HTTPS, unless its endpoint has another scheme; its certificate must be valid for the name in the URL. */
export const callWebhook: CallWebhook = (call) => {
  const { url, endpoint, ca, body, signal } = call;
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
      ...(ca && { ca }),
    });
    outgoing.on('error', (error) => reject(new Error(reasonOf(error as NodeJS.ErrnoException, call))));
    outgoing.on('response', (incoming) => {
      const pieces: Buffer[] = [];
      let size = 0;
      incoming.on('data', (piece: Buffer) => {
        size += piece.length;
        pieces.push(piece);
        if (size > maxAnswerBytes) outgoing.destroy(new Error(`the answer is larger than ${maxAnswerBytes} bytes`));
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 502, body: Buffer.concat(pieces).toString('utf8') }));
      incoming.on('error', (error) => reject(new Error(reasonOf(error as NodeJS.ErrnoException, call))));
    });
    outgoing.end(body);
  });
};

const certificateCodes = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
];

/** The error in the words of an API server. */
function reasonOf(error: NodeJS.ErrnoException, { url }: WebhookCall): string {
  const { code = '', message } = error;
  const { address, port } = error as { address?: string; port?: number };
  if (code === 'ECONNREFUSED') return `dial tcp ${address}:${port}: connect: connection refused`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${new URL(url).hostname}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  if (code === 'CERT_HAS_EXPIRED') return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: x509: certificate is not valid for ${new URL(url).hostname}`;
  if (certificateCodes.includes(code)) return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  return message;
}
