/** The codes of the errors that this package makes. Errors of the subsystems and of the runtime pass through as they are. */
export const coreErrorCodes = {
  /** An option cannot be; the message names it. */
  invalidOption: 'InvalidOption',
  /** A part of the agent needs another one that is missing or waits for it; the message names both. */
  unmetNeed: 'UnmetNeed',
  /** The agent was stopped while somebody waited for it, or before it was asked. */
  stopped: 'AgentStopped',
  /** What the API server has was not read yet. Retryable. */
  notSynced: 'NotSynced',
  /** The pod's volumes could not be mounted. Retryable. */
  volumesNotReady: 'VolumesNotReady',
  /** The pod needs the network, which is not up. Retryable. */
  networkNotReady: 'NetworkNotReady',
  /** The pod's folders could not be made. Retryable. */
  podDirsFailed: 'PodDirsFailed',
  /** A UID of a pod that cannot name a folder. */
  invalidPodUid: 'InvalidPodUID',
  /** A container or the sandbox did not stop. Retryable. */
  killPodFailed: 'KillPodFailed',
  /** The runtime said that all containers had stopped, yet one runs. Retryable. */
  criViolation: 'CRIViolation',
  /** Several things failed in one sync, the first of them without a code. Retryable. */
  syncFailed: 'SyncFailed',
  /** The runtime does not say on which file system images lie, so eviction cannot look yet. Retryable. */
  unknownImageFs: 'UnknownImageFs',
  /** The runtime lacks a capability, such as streams to containers. */
  notSupported: 'NotSupported',
} as const;
