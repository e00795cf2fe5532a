import { apiErrorCodes } from '../errors.js';
import { errorCode, NodeAgentError } from './errors.js';
import type { ApiStatus, KubeObject, ObjectKey } from './kube-api.js';

/** HTTP status codes of retryable failures: too many requests, server errors, server unavailable. */
const retryableCodes = new Set([429, 500, 502, 503, 504]);

/** The error of a call that the API server refused, with the server's message. */
export function apiStatusError(status: ApiStatus): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.apiError, status.message, { retryable: retryableCodes.has(status.code), details: { status } });
}

/** The status that the API server returned; undefined for any other error, such as an unreachable server. */
export function apiStatusOf(error: unknown): ApiStatus | undefined {
  return errorCode(error) === apiErrorCodes.apiError ? (error as { details: { status: ApiStatus } }).details.status : undefined;
}

/** Whether the API server refused a call for this reason, such as `NotFound` or `Conflict`. */
export function isApiReason(error: unknown, reason: string): boolean {
  return apiStatusOf(error)?.reason === reason;
}

/** The key of an object that has a name. */
export function objectKey({ metadata }: KubeObject): ObjectKey {
  const { namespace, name } = metadata ?? {};
  if (name === undefined) throw new NodeAgentError(apiErrorCodes.unnamedObject, 'the object has no metadata.name');
  return namespace === undefined ? { name } : { namespace, name };
}
