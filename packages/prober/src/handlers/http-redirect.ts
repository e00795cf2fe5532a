import { errorMessage } from '@nodeagent/api';
import { formatUrl, hostName, parseUrl, resolveUrl, type Url } from '../url.js';
import type { HttpProbeRequest } from './http-request.js';

/** The next step after a response: follow the redirect, use the response, or fail. */
export type RedirectStep = { follow: HttpProbeRequest } | { answer: true } | { error: string };

/** Maximum number of requests of one probe. */
const maxRequests = 10;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Follows redirects on the host of the first request, regardless of the port. A redirect to another host is used as the response. `made` is
 * the number of requests so far.
 */
export function nextRedirect(
  first: HttpProbeRequest,
  current: HttpProbeRequest,
  { status, location }: { status: number; location?: string | undefined },
  made: number,
): RedirectStep {
  if (!redirects.has(status) || !location) return { answer: true };
  let reference: Url;
  try {
    reference = parseUrl(location);
  } catch (error) {
    const why = `failed to parse Location header ${JSON.stringify(location)}: ${errorMessage(error)}`;
    return { error: getError(formatUrl(current.url), why) };
  }
  const url = resolveUrl(current.url, reference);
  if (hostName(url) !== hostName(first.url)) return { answer: true };
  if (made >= maxRequests) return { error: getError(location, `stopped after ${maxRequests} redirects`) };
  // The probe's Host header is kept until a redirect names a host.
  const keepsHost = first.host !== first.url.host && reference.scheme === '';
  return { follow: { url, host: keepsHost ? first.host : url.host, headers: withReferer(first, current.url, url) } };
}

/** The message of a request that failed. */
export function getError(url: string, why: string): string {
  return `Get ${JSON.stringify(url)}: ${why}`;
}

function withReferer({ headers }: HttpProbeRequest, from: Url, to: Url): HttpProbeRequest['headers'] {
  if (headers.Referer !== undefined || (from.scheme === 'https' && to.scheme === 'http')) return headers;
  return { ...headers, Referer: [formatUrl(from)] };
}
