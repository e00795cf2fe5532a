/**
 * The result of one probe attempt. A warning counts as success. `unknown` means that there is no result; with an `error` the attempt itself
 * failed and is retried.
 */
export interface ProbeAttempt {
  result: 'success' | 'warning' | 'failure' | 'unknown';
  /** The target's response or the error message; at most {@link outputLimit} bytes of the response. */
  output: string;
  error?: string;
}

/** Maximum number of bytes that are read of a command's output or a response's body. */
export const outputLimit = 10_240;

export const succeeded = (output: string): ProbeAttempt => ({ result: 'success', output });
export const failed = (output: string): ProbeAttempt => ({ result: 'failure', output });
export const errored = (error: string): ProbeAttempt => ({ result: 'unknown', output: '', error });
