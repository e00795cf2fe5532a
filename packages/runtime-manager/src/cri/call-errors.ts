import { errorCode, NodeAgentError } from '@nodeagent/api';
import { runtimeManagerErrorCodes } from '../errors.js';

/** The error for a call without a response within its deadline. */
export function deadlineExceeded(call: string, timeoutMs: number): NodeAgentError {
  return new NodeAgentError(
    runtimeManagerErrorCodes.deadlineExceeded,
    `${call}: the runtime did not respond within ${timeoutMs / 1000} s`,
    {
      retryable: true,
      hint: 'Check that the container runtime is running, and see its log. settings.runtimeRequestTimeoutMs sets the timeout.',
      details: { call, timeoutMs },
    },
  );
}

/** The error for a response without a field that the CRI requires. */
export function invalidAnswer(call: string, missing: string): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.invalidAnswer, `${call}: the runtime's response has no ${missing}`, {
    details: { call, missing },
  });
}

/** Whether the runtime reports that the container or sandbox does not exist. */
export function isNotFound(error: unknown): boolean {
  return errorCode(error) === 'CRI_NOT_FOUND';
}
