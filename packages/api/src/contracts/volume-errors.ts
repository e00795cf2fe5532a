import { apiErrorCodes } from '../errors.js';
import { errorCode, NodeAgentError } from './errors.js';

/** For volume plugins: the volume may or may not be mounted. */
export function uncertainProgress(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.uncertainProgress, message, { retryable: true, cause });
}

/** For volume plugins: the operation failed and made no changes. */
export function transientOperationFailure(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.transientOperationFailure, message, { retryable: true, cause });
}

/** For volume plugins: the driver does not expand volumes in use. */
export function inUseExpansion(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.inUseExpansion, message, { cause });
}

/** For volume plugins: the volume can never be expanded to the requested size. */
export function infeasibleExpansion(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.infeasibleExpansion, message, { cause });
}

export const isUncertainProgress = (error: unknown) => errorCode(error) === apiErrorCodes.uncertainProgress;

/** Whether an error of a volume plugin means that the volume is not mounted. Checks the error itself, not its causes. */
export function isOperationFinished(error: unknown): boolean {
  return !isUncertainProgress(error) && errorCode(error) !== apiErrorCodes.transientOperationFailure;
}
