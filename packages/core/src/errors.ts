/** Error codes of this package. Errors of the subsystems and of the runtime pass through unchanged. */
export const coreErrorCodes = {
  /** An option is invalid; the message names it. */
  invalidOption: 'InvalidOption',
  /** A part reads a missing part or one that depends on it; the message names both. */
  unmetNeed: 'UnmetNeed',
  /** The agent was stopped before or during the call. */
  stopped: 'AgentStopped',
  /** The node's resolver configuration breaks the format. */
  invalidResolvConf: 'InvalidResolvConf',
  /** Objects of the API server are not synced yet. Retryable. */
  notSynced: 'NotSynced',
  /** The pod's volumes could not be mounted. Retryable. */
  volumesNotReady: 'VolumesNotReady',
  /** The pod needs the network, which is not up. Retryable. */
  networkNotReady: 'NetworkNotReady',
  /** The pod's folders could not be made. Retryable. */
  podDirsFailed: 'PodDirsFailed',
  /** The pod's cgroup could not be created. Retryable. */
  podCgroupFailed: 'PodCgroupFailed',
  /** The settings exclude the machine: it has swap, or cgroup v1. */
  machineRejected: 'MachineRejected',
  /** A part was used before the agent started it. */
  notStarted: 'NotStarted',
  /** The pod UID contains characters that a directory name must not have. */
  invalidPodUid: 'InvalidPodUID',
  /** A container or the sandbox did not stop. Retryable. */
  killPodFailed: 'KillPodFailed',
  /** The runtime reported all containers as stopped, yet one runs. Retryable. */
  criViolation: 'CRIViolation',
  /** Several steps failed in one sync, the first of them without a code. Retryable. */
  syncFailed: 'SyncFailed',
  /** The runtime does not report the file system of its images, which eviction needs. Retryable. */
  unknownImageFs: 'UnknownImageFs',
  /** The runtime lacks a capability, for example streaming. */
  notSupported: 'NotSupported',
} as const;
