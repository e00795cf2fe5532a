import { NodeAgentError } from '@nodeagent/api';

/** The codes of this package's errors. Errors of the syncer pass through unchanged. */
export const podWorkersErrorCodes = {
  /** An option is out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** `killPodNow`: the pod's containers did not stop within the timeout. The kill continues. Retryable. */
  killTimeout: 'KillPodTimeout',
  /** `killPodNow`: the workers were stopped before the pod's containers stopped. */
  stopped: 'PodWorkersStopped',
} as const;

export const stoppedError = () => new NodeAgentError(podWorkersErrorCodes.stopped, 'pod workers are stopped');
