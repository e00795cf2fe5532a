import { apiStatusError, NodeAgentError } from '@nodeagent/api';

/** The `code` of every error of this package. A missing object is an `ApiError` of reason `NotFound`, as from the API server. */
export const objectStoreErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** No registered pod refers to the object. Details: `namespace`, `name`. */
  objectNotRegistered: 'ObjectNotRegistered',
  /** The object was not listed in time. Retryable. Details: `namespace`, `name`. */
  objectNotSynced: 'ObjectNotSynced',
} as const;

export function objectNotRegistered(namespace: string, name: string): NodeAgentError {
  const message = `object ${JSON.stringify(namespace)}/${JSON.stringify(name)} not registered`;
  return new NodeAgentError(objectStoreErrorCodes.objectNotRegistered, message, { details: { namespace, name } });
}

export function objectNotSynced(resource: string, namespace: string, name: string): NodeAgentError {
  const message = `failed to sync ${resource} cache: timed out waiting for the condition`;
  return new NodeAgentError(objectStoreErrorCodes.objectNotSynced, message, { retryable: true, details: { namespace, name } });
}

export function objectNotFound(resource: string, name: string): NodeAgentError {
  return apiStatusError({ code: 404, reason: 'NotFound', message: `${resource} ${JSON.stringify(name)} not found` });
}
