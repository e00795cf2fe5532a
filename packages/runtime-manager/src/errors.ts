/**
 * Codes of this package's errors. Those of a failed start are the container's waiting reason, as `kubectl get pods` shows it; the
 * image reasons (`ErrImagePull`, `ImagePullBackOff`, ...) come from `images.ensureImageExists`.
 */
export const runtimeManagerErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The runtime serves another version of the CRI. */
  runtimeVersion: 'RuntimeVersionNotSupported',
  /** The runtime did not respond within the timeout. Retryable. */
  deadlineExceeded: 'CRI_DEADLINE_EXCEEDED',
  /** The runtime's response lacks a field that the CRI requires; `details.missing` names it. */
  invalidAnswer: 'InvalidRuntimeAnswer',
  /** The container keeps failing and is in back-off; `details.expiry` is the clock time in milliseconds at which it may start. Retryable. */
  crashLoopBackOff: 'CrashLoopBackOff',
  /** The container's configuration cannot be made: a missing config map, an unverifiable user. */
  createContainerConfig: 'CreateContainerConfigError',
  /** `containerLifecycle.preCreate` failed. */
  preCreateHook: 'PreCreateHookError',
  /** `containerLifecycle.preStart` failed. */
  preStartHook: 'PreStartHookError',
  /** The runtime refused to create the container. */
  createContainer: 'CreateContainerError',
  /** The runtime refused to start the container. */
  runContainer: 'RunContainerError',
  /** A lifecycle hook failed. A failed start has the code `PostStartHookError` and this error as its cause. */
  hook: 'HookError',
  /** The postStart hook failed; the container was stopped. */
  postStartHook: 'PostStartHookError',
  /** Stopping a container failed. */
  killContainer: 'KillContainerError',
  /** Removing a container failed. */
  removeContainer: 'RemoveContainerError',
  /** Changing the resources of a running pod failed. Retryable. */
  resizePodInPlace: 'ResizePodInPlaceError',
  /** The checkpoint file of the applied resources is damaged; `details.path` is its path, `details.setAside` its new path. */
  actuatedState: 'InvalidActuatedState',
  /** A pod has no sandbox. */
  podSandboxNotFound: 'PodSandboxNotFound',
  /** A runtime class could not be looked up. Retryable. */
  runtimeClass: 'RuntimeClassError',
  /** The pod's user namespace could not be allocated or read. */
  userNamespace: 'UserNamespaceError',
  /** Stopping a sandbox failed. */
  killPodSandbox: 'KillPodSandboxError',
  /** A pod's hostname, hostnameOverride or subdomain is not a DNS name or is too long. Details: `field`, `value`. */
  invalidHostname: 'InvalidHostname',
  /** A `subPathExpr` uses variables that are unset or empty. Details: `expression`, `missing`. */
  missingVariable: 'MissingVariable',
  /** The configuration of the pod's sandbox could not be generated. */
  configPodSandbox: 'ConfigPodSandboxError',
  /** The sandbox could not be created. */
  createPodSandbox: 'CreatePodSandboxError',
} as const;
