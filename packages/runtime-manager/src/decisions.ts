/**
 * The decisions of a runtime manager: what to do about a pod's sandbox and containers, their CRI configuration, resize, grace periods,
 * back-off, log paths, and which dead containers and sandboxes are removed.
 *
 * @packageDocumentation
 */
export { podCgroupParent } from './cgroup-parent.js';
export { computePodActions } from './compute-pod-actions.js';
export { type ContainerConfigInputs, generateContainerConfig } from './container-config.js';
export { blockDevices } from './container-devices.js';
export { containerGracePeriod, type KillReason, killingMessage, minimumGracePeriod, stopTimeout } from './container-grace-period.js';
export { containersToDelete } from './containers-to-delete.js';
export {
  type ContainerGcInput,
  type ContainerGcPolicy,
  type ContainerToEvict,
  containersToEvict,
  type GcContainer,
  type PodRemovalState,
} from './containers-to-evict.js';
export { backOffKey, type CrashLoopBackOff, createCrashLoopBackOff } from './crash-loop-back-off.js';
export { hashContainer } from './hash-container.js';
export { createHookRunner, type HookRunnerOptions, type RunHookCommand, runOverCri } from './hook-runner.js';
export { httpsToHttpServer } from './http-get.js';
export { type LinuxResourceSettings, linuxContainerResources, linuxOverheadResources, linuxPodResources } from './linux-resources.js';
export {
  containerIdFromLegacyLogSymlink,
  containerLogPath,
  containerLogsDirectory,
  legacyLogSymlink,
  podLogsDirectory,
  podUidFromLogsDirectory,
} from './log-paths.js';
export type { MemoryQos } from './memory-qos.js';
export type { ContainerToKill, ContainerToReset, ContainerToUpdate, PodActions, PodActionsInput } from './pod-actions.js';
export { isPodResizeInProgress, type ResizeInProgressInput } from './resize-in-progress.js';
export { type PodResizeInput, planPodResize, type ResizeStep } from './resize-plan.js';
export type { ResourceValues } from './resource-values.js';
export type { ImageUser } from './run-as-non-root.js';
export { type RuntimeState, type RuntimeStateThresholds, runtimeErrorsChanged, runtimeStateErrors } from './runtime-state.js';
export { generateSandboxConfig, type SandboxConfigInputs } from './sandbox-config.js';
export { type GcSandbox, type SandboxGcInput, type SandboxToEvict, sandboxesToEvict } from './sandboxes-to-evict.js';
export type { ContainerSecurityInputs, SecurityContextInputs } from './security-context.js';
export { triggersRestartAllContainers } from './should-restart.js';
export { terminationPrerequisites } from './termination-order.js';
