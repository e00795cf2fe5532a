import type { Duplex } from 'node:stream';
import { httpGetOver } from '@nodeagent/api/helpers';
import { deadlineExceeded } from '../deadline-exceeded.js';
import { hostName, portNumber, requestTarget } from '../url.js';
import { connectTcp, connectTls } from './connect.js';
import type { HttpExchange, HttpProbeResponse } from './http-get.js';
import type { HttpProbeRequest } from './http-request.js';
import { bodyError, latin1, noHeadersInTime, sentHeaders } from './http-wire.js';
import { networkErrorText } from './network-error.js';

/**
 * Makes requests over HTTP/1.1, each on a separate connection, without proxy and certificate verification. HTTPS probes offer no HTTP/2: a server in a
 * container is not trusted, and malformed frames abort the process of a Node with an old nghttp2.
 */
export const nodeHttpExchange: HttpExchange = async (request, signal) => {
  const { url } = request;
  const [host, port] = [hostName(url), portNumber(url)];
  try {
    if (url.scheme === 'http') return await http1Exchange(request, signal, await connectTcp(host, port, signal));
    if (url.scheme !== 'https') throw new Error(`unsupported protocol scheme ${JSON.stringify(url.scheme)}`);
    return await http1Exchange(request, signal, await connectTls(host, port, signal));
  } catch (error) {
    throw error === deadlineExceeded ? noHeadersInTime() : new Error(networkErrorText(error, url.host), { cause: error });
  }
};

async function http1Exchange(request: HttpProbeRequest, signal: AbortSignal, connection: Duplex): Promise<HttpProbeResponse> {
  // A query is sent as it was written, even with a blank. It has no control characters, so it cannot add a line to the request.
  const target = latin1(requestTarget(request.url));
  const { location, readBody, ...response } = await httpGetOver(connection, { target, headers: sentHeaders(request) }, signal);
  return {
    ...response,
    location: location === undefined ? undefined : Buffer.from(location, 'latin1').toString(),
    readBody: (limit) =>
      readBody(limit).catch((error) => {
        throw bodyError(error, request.url.host);
      }),
  };
}
