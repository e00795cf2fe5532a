import type { TLSSocket } from 'node:tls';
import { deadlineExceeded } from '../deadline-exceeded.js';
import { hostName, requestTarget } from '../url.js';
import type { HttpProbeResponse } from './http-get.js';
import type { HttpProbeRequest } from './http-request.js';
import { bodyError, noHeadersInTime, sentHeaders } from './http-wire.js';
import { networkErrorText } from './network-error.js';

/** One request over HTTP/2 on a connection that was made for it. */
export async function http2Exchange(request: HttpProbeRequest, signal: AbortSignal, socket: TLSSocket): Promise<HttpProbeResponse> {
  const { connect } = await import('node:http2');
  const { url } = request;
  const session = connect(`https://${hostName(url)}`, { createConnection: () => socket });
  const { Host, Connection: _, ...headers } = sentHeaders(request);
  return new Promise((resolve, reject) => {
    const close = () => {
      signal.removeEventListener('abort', onAbort);
      session.destroy();
    };
    const fail = (error: Error) => {
      close();
      reject(error);
    };
    const onAbort = () => fail(signal.reason === deadlineExceeded ? noHeadersInTime() : signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const onError = (error: Error) => fail(new Error(networkErrorText(error, url.host), { cause: error }));
    session.on('error', onError);
    const stream = session.request({ ':method': 'GET', ':path': requestTarget(url), ':scheme': 'https', ':authority': Host, ...headers });
    stream.on('error', onError);
    stream.on('close', () => fail(new Error('EOF')));
    stream.on('response', ({ ':status': status = 0, location }) => {
      signal.removeEventListener('abort', onAbort);
      resolve({
        status,
        location,
        readBody: (limit) =>
          new Promise((resolveBody, rejectBody) => {
            const chunks: Buffer[] = [];
            let length = 0;
            const all = () => resolveBody(Buffer.concat(chunks).subarray(0, limit));
            stream.on('data', (chunk: Buffer) => {
              chunks.push(chunk);
              length += chunk.length;
              if (length >= limit) all();
            });
            const breakOff = () => rejectBody(bodyError(signal.aborted ? signal.reason : new Error('unexpected EOF'), url.host));
            stream.on('end', all);
            stream.on('aborted', breakOff);
            stream.on('error', breakOff);
            stream.on('close', breakOff);
            signal.addEventListener('abort', breakOff, { once: true });
          }),
        close,
      });
    });
    stream.end();
    if (signal.aborted) onAbort();
  });
}
