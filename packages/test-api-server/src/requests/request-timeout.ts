import { parseDuration } from '@nodeagent/api/helpers';
import { badRequest } from '../status.js';
import type { RequestInfo } from './request-info.js';

/** Subresources whose requests last as long as the client likes. */
const longRunning = ['log', 'exec', 'attach', 'portforward', 'proxy'];

/** Refuses an invalid `timeout` in the query with 400, except of requests of any length. Requests end before a valid one. */
export function checkTimeout({ verb, subresource }: RequestInfo, query: URLSearchParams): void {
  const text = query.get('timeout');
  if (!text || verb === 'watch' || longRunning.includes(subresource ?? '') || parseDuration(text) !== undefined) return;
  throw badRequest(`invalid timeout specified in the request URL - time: ${problemOf(text)}`);
}

/** What Go reports of an invalid duration. */
function problemOf(text: string): string {
  const quoted = JSON.stringify(text);
  const [, unit] = /^[+-]?(?:\d+\.?\d*|\.\d+)([^\d.]*)/.exec(text) ?? [];
  if (unit === undefined) return `invalid duration ${quoted}`;
  return unit === '' ? `missing unit in duration ${quoted}` : `unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
}
