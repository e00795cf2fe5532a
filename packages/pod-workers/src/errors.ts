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

export const stoppedError = () => new NodeAgentError(podWorkersErrorCodes.stopped, 'pod workers are stopped');
