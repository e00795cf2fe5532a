import { abortable } from '@nodeagent/api';
import { type FetchOptions, type FetchResponse, fetchResponse, type HttpMessage, type HttpReply, lowerCaseNames } from './http.js';
import type { ProcessWaits } from './process-waits.js';

/** Time of every request, so that a program that only sends requests does not stop virtual time. */
const latencyMs = 1;

interface FetchPorts {
  waits: ProcessWaits;
  remoteAddress: string;
  send(message: HttpMessage): Promise<HttpReply>;
}

/** `fetch` of a program. The connection is open until the body has been read. */
export function createFetch({ waits, remoteAddress, send }: FetchPorts) {
  const fetch = async (url: string | URL, options: FetchOptions): Promise<FetchResponse> => {
    const { method = 'GET', body = '' } = options;
    options.signal?.throwIfAborted();
    const target = new URL(url);
    if (!/^https?:$/.test(target.protocol)) throw new TypeError('fetch failed', { cause: new Error('unknown scheme') });
    const { signal, close } = waits.connection(options.signal);
    const settled = <T>(promise: Promise<T>): Promise<T> => waits.guard(abortable(promise, signal));
    const headers = lowerCaseNames(options.headers);
    try {
      await waits.sleep(latencyMs, signal);
      const message = { method: method.toUpperCase(), url: target, headers, body, remoteAddress, signal };
      return fetchResponse(await settled(send(message)), settled, close);
    } catch (error) {
      close();
      if (signal.aborted) throw signal.reason;
      throw new TypeError('fetch failed', { cause: error });
    }
  };
  return (url: string | URL, options: FetchOptions = {}) => waits.guard(fetch(url, options));
}
