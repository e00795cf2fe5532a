import { abortable } from '@nodeagent/api';
import { type FetchOptions, type FetchResponse, fetchResponse, type HttpMessage, type HttpReply, lowerCaseNames } from './http.js';
import type { ProcessTimers } from './process-timers.js';

/** Time of every request, so that a program that only sends requests does not stop virtual time. */
const latencyMs = 1;

interface FetchPorts {
  timers: ProcessTimers;
  remoteAddress: string;
  send(message: HttpMessage): Promise<HttpReply>;
}

/** `fetch` of a program. */
export function createFetch({ timers, remoteAddress, send }: FetchPorts) {
  return async (url: string | URL, options: FetchOptions = {}): Promise<FetchResponse> => {
    const { method = 'GET', body = '', signal = new AbortController().signal } = options;
    signal.throwIfAborted();
    const message: HttpMessage = {
      method: method.toUpperCase(),
      url: new URL(url),
      headers: lowerCaseNames(options.headers),
      ...{ body, remoteAddress, signal },
    };
    if (!/^https?:$/.test(message.url.protocol)) throw new TypeError('fetch failed', { cause: new Error('unknown scheme') });
    await timers.sleep(latencyMs, signal);
    try {
      return fetchResponse(await timers.guard(abortable(send(message), signal)), (promise) => timers.guard(abortable(promise, signal)));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new TypeError('fetch failed', { cause: error });
    }
  };
}
