/**
 * What one attempt of a probe found. A warning counts as success. `unknown` says that nothing was found out; with an `error` the attempt
 * itself failed, and is repeated.
 */
export interface ProbeAttempt {
  result: 'success' | 'warning' | 'failure' | 'unknown';
  /** What the target answered, or why it did not; at most {@link outputLimit} bytes of the target's own. */
  output: string;
  error?: string;
}

/** How many bytes of a command's output or a response's body are looked at. */
export const outputLimit = 10_240;

export const succeeded = (output: string): ProbeAttempt => ({ result: 'success', output });
export const failed = (output: string): ProbeAttempt => ({ result: 'failure', output });
export const errored = (error: string): ProbeAttempt => ({ result: 'unknown', output: '', error });
