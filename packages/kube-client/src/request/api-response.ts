import { type ApiStatus, NodeAgentError } from '@nodeagent/api';
import { decodeUtf8, isObject, utf8Length } from '@nodeagent/api/helpers';
import { kubeClientErrorCodes } from '../errors.js';
import type { TransportResponse } from '../transport/transport.js';
import { createByteBuffer } from './byte-buffer.js';
import { parseApiJson } from './parse-api-json.js';

/** Method and path of a request, for errors; never its query or body. */
export interface RequestTarget {
  method: string;
  path: string;
}

/** The reasons of HTTP statuses for responses without one (API conventions, "HTTP Status codes"). */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const maxTextLength = 200;
/** Longer waits are not obeyed: a node that asks nothing for that time is lost to its cluster. */
const maxRetryAfterMs = 300_000;

/** The status of an error response: the `v1` Status in its body, else one derived from the HTTP status. */
export function parseApiStatus(
  target: RequestTarget,
  code: number,
  headers: TransportResponse['headers'],
  body: string,
  now: number,
): ApiStatus {
  const retryAfter = parseRetryAfter(headers['retry-after'], now);
  const status = statusOf(parseOrUndefined(body), code);
  if (status !== undefined) return { ...status, ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }) };
  const text = body.trim().split('\n', 1)[0]?.slice(0, maxTextLength) ?? '';
  return {
    code,
    reason: reasons[code] ?? 'Unknown',
    message: `the server responded ${code} to ${target.method} ${target.path}${text === '' ? '' : `: ${text}`}`,
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
  };
}

/** Reads a Status from a JSON value, such as the object of an ERROR event; undefined if it is not a Status. */
export function statusOf(value: unknown, defaultCode = 500): ApiStatus | undefined {
  if (!isObject(value) || value.kind !== 'Status') return undefined;
  const details = isObject(value.details) ? value.details : {};
  const code = typeof value.code === 'number' && value.code > 0 ? value.code : defaultCode;
  const causes = Array.isArray(details.causes) ? details.causes.filter(isObject) : [];
  return {
    code,
    reason: typeof value.reason === 'string' && value.reason !== '' ? value.reason : (reasons[code] ?? 'Unknown'),
    message: typeof value.message === 'string' ? value.message : `the server responded ${code}`,
    ...(typeof details.retryAfterSeconds === 'number' && details.retryAfterSeconds > 0
      ? { retryAfterMs: Math.min(details.retryAfterSeconds * 1000, maxRetryAfterMs) }
      : {}),
    ...(causes.length > 0 ? { causes: causes.map(({ reason, message, field }) => textsOf({ reason, message, field })) } : {}),
  };
}

function textsOf(fields: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Seconds, or a date (RFC 9110, section 10.2.3), as milliseconds from now; at most five minutes. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Math.max(0, Date.parse(value) - now);
  return Number.isNaN(ms) ? undefined : Math.min(ms, maxRetryAfterMs);
}

/** Parses the object of a successful response, see {@link parseApiJson}. */
export function parseObject(target: RequestTarget, body: string): Record<string, unknown> {
  const value = parseOrUndefined(body);
  if (isObject(value)) return value;
  throw invalidResponse(target, 'the response is not a JSON object', 'check that the server URL is that of a Kubernetes API server');
}

export function invalidResponse({ method, path }: RequestTarget, problem: string, hint?: string): NodeAgentError {
  return new NodeAgentError(kubeClientErrorCodes.invalidApiResponse, `${method} ${path}: ${problem}`, {
    details: { method, path },
    hint,
  });
}

/** Reads a whole body; throws `ResponseTooLarge` if it has more than `limit` bytes. */
export async function readText(target: RequestTarget, body: TransportResponse['body'], limit: number): Promise<string> {
  const bytes = createByteBuffer();
  let text: string | undefined;
  for await (const chunk of body) {
    const isText = typeof chunk === 'string';
    if (isText ? isLonger(chunk, limit) : bytes.size + chunk.byteLength > limit) throw tooLarge(target, limit);
    if (isText) text = chunk;
    else bytes.append(chunk);
  }
  return text ?? decodeUtf8(bytes.take());
}

/** Whether a text has more bytes. Measuring costs as much as encoding, and hardly any text is near its limit. */
const isLonger = (text: string, limit: number) => text.length > limit / 3 && utf8Length(text) > limit;

export function tooLarge({ method, path }: RequestTarget, limit: number): NodeAgentError {
  const message = `${method} ${path}: the response is larger than ${limit} bytes`;
  return new NodeAgentError(kubeClientErrorCodes.responseTooLarge, message, { details: { method, path, limit } });
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseApiJson(text);
  } catch {
    return undefined;
  }
}
