import type { Random } from '@nodeagent/api';

/** What became of a request to a registry. */
export interface FailedRequest {
  /** Failures of this request so far, from 1. */
  failures: number;
  /** How often the request is sent at most. Default 6; fewer where another endpoint can be tried. */
  maxAttempts?: number;
  /** Undefined: there was no answer, or it ended early. */
  status?: number;
  /** The header Retry-After: seconds, or a date. */
  retryAfter?: string;
}

const defaultMaxAttempts = 6;
const firstDelayMs = 500;
const maxDelayMs = 30_000;
/** A registry that demands a longer wait fails the request: the caller's back-off is better for that. */
const maxRetryAfterMs = 120_000;
const retryableStatuses = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Milliseconds to wait before a failed request is sent again; undefined if it is not. The delay doubles with each failure, half of it is random;
 * Retry-After (RFC 9110, section 10.2.3) is the shortest delay.
 * @param now - wall-clock time, in milliseconds since 1970
 */
export function registryRetryDelay(
  { failures, maxAttempts = defaultMaxAttempts, status, retryAfter }: FailedRequest,
  now: number,
  random: Random,
): number | undefined {
  if (failures >= maxAttempts || (status !== undefined && !retryableStatuses.has(status))) return undefined;
  const demandedMs = retryAfter === undefined ? 0 : retryAfterMs(retryAfter, now);
  if (demandedMs > maxRetryAfterMs) return undefined;
  const delayMs = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);
  return Math.max(demandedMs, delayMs / 2 + (random() * delayMs) / 2);
}

function retryAfterMs(text: string, now: number): number {
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}

/** The largest number of redirects that are followed for one request. */
const maxRedirects = 10;

/** The next request of a redirected one. */
export interface Redirect {
  url: string;
  /** Whether it leads to another scheme, host or port, which must not get the credentials of the first. */
  isElsewhere: boolean;
}

/**
 * Where a redirect leads; undefined if it must not be followed: `location` is no URL of HTTP, leads back to a place where the request was, leaves
 * HTTPS, or is one too many.
 * @param visited - the URLs of this request so far, the first one first
 */
export function followRedirect(visited: readonly string[], location: string | undefined): Redirect | undefined {
  const from = visited.at(-1) ?? '';
  if (location === undefined || visited.length > maxRedirects || !URL.canParse(location, from)) return undefined;
  const [source, target] = [new URL(from), new URL(location, from)];
  target.hash = '';
  const isKept = target.protocol === source.protocol || (source.protocol === 'http:' && target.protocol === 'https:');
  if (!isKept || target.username !== '' || target.password !== '' || visited.includes(target.href)) return undefined;
  return { url: target.href, isElsewhere: target.origin !== new URL(visited[0] ?? '').origin };
}
