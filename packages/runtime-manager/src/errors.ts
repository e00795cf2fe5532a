/**
 * Codes of this package's errors. Those of a failed start are the container's waiting reason, as `kubectl get pods` shows it; the
 * image reasons (`ErrImagePull`, `ImagePullBackOff`, ...) come from whoever ensures the image.
 */
export const runtimeManagerErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The runtime speaks another version of the CRI. */
  runtimeVersion: 'RuntimeVersionNotSupported',
  /** The runtime did not answer in time. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** The runtime's answer lacks what the CRI promises. */
  invalidAnswer: 'InvalidRuntimeAnswer',
  /** The container failed before and waits; `details.expiry` is the clock time in milliseconds at which it may start. Retryable. */
  crashLoopBackOff: 'CrashLoopBackOff',
  /** The container's configuration cannot be made: a missing config map, an unverifiable user. */
  createContainerConfig: 'CreateContainerConfigError',
  /** What has to happen before a container is created failed: `preCreate`. */
  preCreateHook: 'PreCreateHookError',
  /** What has to happen before a container is started failed: `preStart`. */
  preStartHook: 'PreStartHookError',
  /** The runtime refused to create the container. */
  createContainer: 'CreateContainerError',
  /** The runtime refused to start the container. */
  runContainer: 'RunContainerError',
  /** A lifecycle hook failed; what follows from it has a code of its own. */
  hook: 'HookError',
  /** The postStart hook failed; the container was stopped. */
  postStartHook: 'PostStartHookError',
  /** Stopping a container failed. */
  killContainer: 'KillContainerError',
  /** Removing a container failed. */
  removeContainer: 'RemoveContainerError',
  /** Changing the resources of a running pod failed. Retryable. */
  resizePodInPlace: 'ResizePodInPlaceError',
  /** The saved list of applied resources is damaged; `details.path` is its file, `details.setAside` the file's new path. */
  actuatedState: 'InvalidActuatedState',
  /** A pod has no sandbox. */
  podSandboxNotFound: 'PodSandboxNotFound',
  /** A runtime class could not be looked up. Retryable. */
  runtimeClass: 'RuntimeClassError',
  /** The ids of a pod's user namespace could not be had. */
  userNamespace: 'UserNamespaceError',
  /** Stopping a sandbox failed. */
  killPodSandbox: 'KillPodSandboxError',
  /** The pod's configuration for its sandbox cannot be made. */
  configPodSandbox: 'ConfigPodSandboxError',
  /** The sandbox could not be created. */
  createPodSandbox: 'CreatePodSandboxError',
} as const;
