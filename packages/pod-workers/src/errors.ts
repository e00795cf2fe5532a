import { NodeAgentError } from '@nodeagent/api';

/** The codes of the errors that this package makes. Errors of the syncer pass through as they are. */
export const podWorkersErrorCodes = {
  /** An option is out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** `killPodNow`: the pod's containers did not stop in time. The kill goes on. Retryable. */
  killTimeout: 'KillPodTimeout',
  /** The workers were stopped while somebody waited for them, or before they were asked. */
  stopped: 'PodWorkersStopped',
} as const;

/** Throws unless `value` is a number above zero; `undefined` passes, it means the default. */
export function requirePositive(field: string, value: number | undefined): void {
  if (value === undefined || (value > 0 && Number.isFinite(value))) return;
  throw new NodeAgentError(podWorkersErrorCodes.invalidOption, `${field} must be a number above 0, got ${value}`, { details: { field } });
}

export const stoppedError = () => new NodeAgentError(podWorkersErrorCodes.stopped, 'pod workers are stopped');
