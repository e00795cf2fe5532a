import { errorMessage } from '@nodeagent/api';
import { decodeUtf8 } from '@nodeagent/api/helpers';
import { failed, outputLimit, type ProbeAttempt, succeeded } from '../probe-attempt.js';
import { formatUrl } from '../url.js';
import { getError, nextRedirect } from './http-redirect.js';
import type { HttpProbeRequest } from './http-request.js';

/** A response whose body has not been read yet. */
export interface HttpProbeResponse {
  status: number;
  location?: string | undefined;
  /** Resolves to the body, or its first `limit` bytes; rejects if the body is incomplete. */
  readBody(limit: number): Promise<Uint8Array>;
  /** Closes the connection; always called. */
  close(): void;
}

/** Makes one GET request on a separate connection; resolves when the response headers have arrived, rejects if there is no response. */
export type HttpExchange = (request: HttpProbeRequest, signal: AbortSignal) => Promise<HttpProbeResponse>;

/**
 * Makes an HTTP probe: status 200 to 399 is success. Redirects to other hosts and redirects without a location are warnings. Never rejects.
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
    body = decodeUtf8(await response.readBody(outputLimit));
  } catch (error) {
    return { result: 'failure', output: '', error: errorMessage(error) };
  }
  if (status < 200 || status >= 400) return failed(`HTTP probe failed with statuscode: ${status}`);
  if (status < 300) return succeeded(body);
  return { result: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
}
