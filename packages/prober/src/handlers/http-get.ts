import { errorMessage } from '@nodeagent/api';
import { failed, outputLimit, type ProbeAttempt, succeeded } from '../probe-attempt.js';
import { formatUrl } from '../url.js';
import { getError, nextRedirect } from './http-redirect.js';
import type { HttpProbeRequest } from './http-request.js';

/** A response whose body has not been read yet. */
export interface HttpProbeResponse {
  status: number;
  location?: string | undefined;
  /** Resolves to the body, or its first `limit` bytes; rejects if it breaks off. */
  readBody(limit: number): Promise<Buffer>;
  /** Lets the connection go; called in any case. */
  close(): void;
}

/** Makes one GET request on a connection of its own; resolves when the response has begun, rejects if there is none. */
export type HttpExchange = (request: HttpProbeRequest, signal: AbortSignal) => Promise<HttpProbeResponse>;

/**
 * An HTTP probe: the status decides, 200 to 399 is success. Redirects to other hosts, and what redirects without saying where to, warn.
 * Never rejects.
 */
export async function httpProbe(first: HttpProbeRequest, exchange: HttpExchange, signal: AbortSignal): Promise<ProbeAttempt> {
  let request = first;
  for (let made = 1; ; made++) {
    let response: HttpProbeResponse;
    try {
      response = await exchange(request, signal);
    } catch (error) {
      return failed(getError(formatUrl(request.url), errorMessage(error)));
    }
    try {
      const step = nextRedirect(first, request, response, made);
      if ('error' in step) return failed(step.error);
      if ('answer' in step) return await judge(response);
      request = step.follow;
    } finally {
      response.close();
    }
  }
}

async function judge(response: HttpProbeResponse): Promise<ProbeAttempt> {
  const { status } = response;
  let body: string;
  try {
    body = (await response.readBody(outputLimit)).toString();
  } catch (error) {
    return { result: 'failure', output: '', error: errorMessage(error) };
  }
  if (status < 200 || status >= 400) return failed(`HTTP probe failed with statuscode: ${status}`);
  if (status < 300) return succeeded(body);
  return { result: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
}
