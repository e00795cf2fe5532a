import { apiStatusError, type NodeAgentError } from '@nodeagent/api';

/** The patch does not match its media type. */
export function badRequest(message: string): NodeAgentError {
  return apiStatusError({ code: 400, reason: 'BadRequest', message });
}

/** The patch cannot be applied to this object; the API server gives no reason. */
export function unprocessable(): NodeAgentError {
  return apiStatusError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
  });
}

/** A JSON Patch with too many operations. */
export function tooManyOperations(max: number, count: number): NodeAgentError {
  const message = `Request entity too large: The allowed maximum operations in a JSON patch is ${max}, got ${count}`;
  return apiStatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
}

/** An error for which the API server has no specific status. */
export function internalError(message: string): NodeAgentError {
  return apiStatusError({ code: 500, reason: '', message });
}

/** A patch type that the resource does not support. */
export function unsupportedMediaType(accepted: readonly string[]): NodeAgentError {
  return apiStatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });
}
