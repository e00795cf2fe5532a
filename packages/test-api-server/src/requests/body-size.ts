import { utf8Length } from '@nodeagent/api/helpers';
import { requestTooLarge } from '../status.js';

/** Maximum size of a request's body in bytes. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** Throws 413 for a longer body. */
export function requireBodySize(body: string | Uint8Array): void {
  // A character takes at most three bytes.
  const isShort = body.length * 3 <= maxBodyBytes;
  if (!isShort && (typeof body === 'string' ? utf8Length(body) : body.length) > maxBodyBytes) throw requestTooLarge(maxBodyBytes);
}
