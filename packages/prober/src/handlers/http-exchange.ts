import type { Duplex } from 'node:stream';
import { httpGetOver } from '@nodeagent/api';
import { deadlineExceeded } from '../deadline-exceeded.js';
import { hostName, portNumber, requestTarget } from '../url.js';
import { connectTcp, connectTls } from './connect.js';
import type { HttpExchange, HttpProbeResponse } from './http-get.js';
import type { HttpProbeRequest } from './http-request.js';
import { bodyError, latin1, noHeadersInTime, sentHeaders } from './http-wire.js';
import { http2Exchange } from './http2-exchange.js';
import { networkErrorText } from './network-error.js';

/**
 * Makes requests, each on a separate connection, without proxy and certificate verification. Uses HTTP/2 if the server of an HTTPS probe
 * selects it.
 */
export const nodeHttpExchange: HttpExchange = async (request, signal) => {
  const { url } = request;
  const [host, port] = [hostName(url), portNumber(url)];
  try {
    if (url.scheme === 'http') return await http1Exchange(request, signal, await connectTcp(host, port, signal));
    if (url.scheme !== 'https') throw new Error(`unsupported protocol scheme ${JSON.stringify(url.scheme)}`);
    const socket = await connectTls(host, port, ['h2', 'http/1.1'], signal);
    return await (socket.alpnProtocol === 'h2' ? http2Exchange(request, signal, socket) : http1Exchange(request, signal, socket));
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
