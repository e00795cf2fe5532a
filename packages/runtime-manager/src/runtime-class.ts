import { errorMessage, isApiReason, NodeAgentError, type ObjectGetter, type RuntimeClass } from '@nodeagent/api';
import { runtimeManagerErrorCodes } from './errors.js';

/**
 * How the CRI handler of a runtime class is found at the API server, or in a local copy of its RuntimeClasses. What it returns rejects as
 * the getter does for a class that does not exist. Kubernetes documentation, "Runtime Class".
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
