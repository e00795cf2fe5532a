import { apiStatusError, type NodeAgentError } from '@nodeagent/api';

/** The patch is not what its media type says. */
export function badRequest(message: string): NodeAgentError {
  return apiStatusError({ code: 400, reason: 'BadRequest', message });
}

/** The patch cannot be applied to this object; the API server does not say why. */
export function unprocessable(): NodeAgentError {
  return apiStatusError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
  });
}

/** What the API server has no status for. */
export function internalError(message: string): NodeAgentError {
  return apiStatusError({ code: 500, reason: '', message });
}

/** A kind of patch that the resource does not know. */
export function unsupportedMediaType(accepted: readonly string[]): NodeAgentError {
  return apiStatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });
}
