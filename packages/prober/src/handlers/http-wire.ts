import { deadlineExceeded } from '../deadline-exceeded.js';
import type { HttpProbeRequest } from './http-request.js';
import { networkErrorText } from './network-error.js';

/** Headers of the connection or body, which a probe cannot set. */
const ownHeaders = new Set(['Content-Length', 'Transfer-Encoding', 'Trailer']);

/** The header lines in sending order; invalid header names make the request fail. */
export function sentHeaders({ headers, host }: HttpProbeRequest): Record<string, string | string[]> {
  const sent: Record<string, string | string[]> = { Host: host };
  const userAgent = headers['User-Agent']?.[0];
  if (userAgent) sent['User-Agent'] = userAgent;
  for (const [name, values] of Object.entries(headers)) {
    if (name !== 'User-Agent' && !ownHeaders.has(name)) sent[name] = values.length === 1 ? latin1(values[0] ?? '') : values.map(latin1);
  }
  return sent;
}

/** The error of an incomplete body: of the deadline or of the connection. */
export function bodyError(error: unknown, host: string): Error {
  if (error !== deadlineExceeded) return new Error(networkErrorText(error, host), { cause: error });
  return new Error(`${deadlineExceeded.message} (Client.Timeout or context cancellation while reading body)`);
}

/** The error of a missing response. */
export function noHeadersInTime(): Error {
  return new Error(`${deadlineExceeded.message} (Client.Timeout exceeded while awaiting headers)`);
}

/** UTF-8 as characters of one byte each, as requests are written. */
export function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
