import { NodeAgentError } from '@nodeagent/api';

/** The codes of the errors that this package makes. */
export const evictionErrorCodes = {
  /** A threshold, grace period or minimum reclaim of the configuration breaks a rule; `details.field` names it. */
  invalidConfig: 'InvalidEvictionConfig',
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** A part that eviction asked gave no answer in time, and is not waited for. Retryable. */
  timeout: 'EvictionTimeout',
} as const;

/** The error of a part that has not answered within its time limit. */
export const timedOut = (what: string, timeoutMs: number) =>
  new NodeAgentError(evictionErrorCodes.timeout, `no answer within ${timeoutMs} ms: ${what}`, { retryable: true });
