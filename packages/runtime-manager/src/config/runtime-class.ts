import { errorMessage, isApiReason, NodeAgentError, type ObjectGetter, type RuntimeClass } from '@nodeagent/api';
import { runtimeManagerErrorCodes } from '../errors.js';

/**
 * Returns a function that gets the CRI handler of a runtime class from the API server or a local cache. The function rejects if the
 * getter does, for example because the RuntimeClass does not exist. Kubernetes documentation, "Runtime Class".
 */
export function lookupRuntimeHandler(classes: ObjectGetter<RuntimeClass>): (name: string) => Promise<string> {
  return async (name) => {
    try {
      return (await classes.get({ name })).handler;
    } catch (cause) {
      if (isApiReason(cause, 'NotFound')) throw cause;
      const message = `failed to lookup RuntimeClass ${name}: ${errorMessage(cause)}`;
      throw new NodeAgentError(runtimeManagerErrorCodes.runtimeClass, message, { retryable: true, cause });
    }
  };
}
