import { NodeAgentError } from '@nodeagent/api';

/** The error codes of the in-memory runtime: the same as a CRI client's for gRPC status codes. */
export type MemoryRuntimeErrorCode =
  | 'CRI_ALREADY_EXISTS'
  | 'CRI_DEADLINE_EXCEEDED'
  | 'CRI_FAILED_PRECONDITION'
  | 'CRI_INVALID_ARGUMENT'
  | 'CRI_NOT_FOUND'
  | 'CRI_UNAVAILABLE'
  | 'CRI_UNIMPLEMENTED'
  | 'CRI_UNKNOWN';

/** An error as a CRI client reports it; only `CRI_UNAVAILABLE` is retryable. */
export function criError(code: MemoryRuntimeErrorCode, message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(code, message, { retryable: code === 'CRI_UNAVAILABLE', cause });
}
