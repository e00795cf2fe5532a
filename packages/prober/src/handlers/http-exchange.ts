import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { deadlineExceeded } from '../deadline-exceeded.js';
import { hostName, portNumber, requestTarget } from '../url.js';
import { connectTls } from './connect.js';
import type { HttpExchange, HttpProbeResponse } from './http-get.js';
import type { HttpProbeRequest } from './http-request.js';
import { bodyError, latin1, noHeadersInTime, sentHeaders } from './http-wire.js';
import { http2Exchange } from './http2-exchange.js';
import { networkErrorText } from './network-error.js';

/** Maximum size of response headers in bytes. */
const maxHeaderSize = 1 << 20;

/**
 * Makes requests with `node:http`, each on a separate connection, without proxy and certificate verification. Uses HTTP/2 if the server of
 * an HTTPS probe selects it.
 */
export const nodeHttpExchange: HttpExchange = async (request, signal) => {
  const { url } = request;
  if (url.scheme === 'http') return http1Exchange(request, signal, undefined);
  if (url.scheme !== 'https') throw new Error(`unsupported protocol scheme ${JSON.stringify(url.scheme)}`);
  try {
    const socket = await connectTls(hostName(url), portNumber(url), ['h2', 'http/1.1'], signal);
    return await (socket.alpnProtocol === 'h2' ? http2Exchange(request, signal, socket) : http1Exchange(request, signal, socket));
  } catch (error) {
    throw error === deadlineExceeded ? noHeadersInTime() : error;
  }
};

function http1Exchange(request: HttpProbeRequest, signal: AbortSignal, tls: TLSSocket | undefined): Promise<HttpProbeResponse> {
  const { url } = request;
  return new Promise((resolve, reject) => {
    let sent: ClientRequest;
    const target = requestTarget(url);
    const plain = /^[!-~]*$/.test(target);
    try {
      // A separate connection needs no agent: no reuse, no proxy, and `Connection: close`.
      sent = httpRequest({
        createConnection: () => tls ?? connect({ host: hostName(url) || 'localhost', port: portNumber(url) }),
        headers: sentHeaders(request),
        path: plain ? target : '/',
        maxHeaderSize,
      });
      // A query is sent as it was written, even with a blank, which Node refuses as an option and, since Node 24, as an assigned value. It
      // contains no control characters, so it cannot add a line to the request.
      if (!plain) Object.defineProperty(sent, 'path', { value: latin1(target) });
    } catch (error) {
      tls?.destroy();
      reject(error);
      return;
    }
    const onAbort = () => sent.destroy(signal.reason);
    const close = () => {
      signal.removeEventListener('abort', onAbort);
      sent.destroy();
    };
    const answer = (response: IncomingMessage) => {
      const { location } = response.headers;
      resolve({
        status: response.statusCode ?? 0,
        location: location === undefined ? undefined : Buffer.from(location, 'latin1').toString(),
        readBody: (limit) => readBody(response, limit, signal),
        close,
      });
    };
    sent.on('response', answer);
    // An unrequested upgrade has no body.
    sent.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      resolve({ status: statusCode, readBody: async () => Buffer.alloc(0), close });
    });
    sent.on('error', (error) => {
      close();
      reject(error === deadlineExceeded ? noHeadersInTime() : new Error(networkErrorText(error, url.host), { cause: error }));
    });
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    sent.end();
  });
}

/** Reads at most `limit` bytes of the body, without waiting for the rest. */
function readBody(response: IncomingMessage, limit: number, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const all = () => resolve(Buffer.concat(chunks).subarray(0, limit));
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= limit) all();
    });
    response.on('end', all);
    response.on('error', () => reject(bodyError(signal)));
    // The connection closed within the body.
    response.on('aborted', () => reject(bodyError(signal)));
  });
}
