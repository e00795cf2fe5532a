import { NodeAgentError } from '@nodeagent/api';

/** The codes of this package's errors. */
export const evictionErrorCodes = {
  /** A threshold, grace period or minimum reclaim of the configuration breaks a rule; `details.field` names it. */
  invalidConfig: 'InvalidEvictionConfig',
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** A call to another subsystem exceeded its timeout. Retryable. */
  timeout: 'EvictionTimeout',
} as const;

/** The error of a call that exceeded its timeout. */
export const timedOut = (what: string, timeoutMs: number) =>
  new NodeAgentError(evictionErrorCodes.timeout, `no answer within ${timeoutMs} ms: ${what}`, { retryable: true });
