/**
 * The decisions of a runtime manager: what to do about a pod's sandbox and containers, their CRI configuration, resize, grace periods,
 * back-off, log paths, and which dead containers and sandboxes are removed.
 *
 * @packageDocumentation
 */
export { podCgroupParent } from './config/cgroup-parent.js';
export { type ContainerConfigInputs, generateContainerConfig } from './config/container-config.js';
export { blockDevices } from './config/container-devices.js';
export { podHostnameAndDomain, sandboxHostname } from './config/hostname.js';
export { type HostsFileInput, managedHostsFile } from './config/hosts-file.js';
export {
  type LinuxResourceSettings,
  linuxContainerResources,
  linuxOverheadResources,
  linuxPodResources,
} from './config/linux-resources.js';
export {
  containerIdFromLegacyLogSymlink,
  containerLogPath,
  containerLogsDirectory,
  legacyLogSymlink,
  podLogsDirectory,
  podUidFromLogsDirectory,
} from './config/log-paths.js';
export type { MemoryQos } from './config/memory-qos.js';
export { oomScoreAdjust } from './config/oom-score.js';
export { generateSandboxConfig, type SandboxConfigInputs } from './config/sandbox-config.js';
export type { ContainerSecurityInputs, SecurityContextInputs } from './config/security-context.js';
export { expandSubPathExpr } from './config/sub-path-expr.js';
export { computePodActions } from './decide/compute-pod-actions.js';
export { containerGracePeriod, type KillReason, killingMessage, minimumGracePeriod, stopTimeout } from './decide/container-grace-period.js';
export { hashContainer } from './decide/hash-container.js';
export type { ContainerToKill, ContainerToReset, ContainerToUpdate, PodActions, PodActionsInput } from './decide/pod-actions.js';
export { isPodResizeInProgress, type ResizeInProgressInput } from './decide/resize-in-progress.js';
export { type PodResizeInput, planPodResize, type ResizeStep } from './decide/resize-plan.js';
export type { ResourceValues } from './decide/resource-values.js';
export { triggersRestartAllContainers } from './decide/should-restart.js';
export { terminationPrerequisites } from './decide/termination-order.js';
export { containersToDelete } from './gc/containers-to-delete.js';
export {
  type ContainerGcInput,
  type ContainerGcPolicy,
  type ContainerToEvict,
  containersToEvict,
  type GcContainer,
  type PodRemovalState,
} from './gc/containers-to-evict.js';
export { type GcSandbox, type SandboxGcInput, type SandboxToEvict, sandboxesToEvict } from './gc/sandboxes-to-evict.js';
export { quotaToMilliCpu, sharesToMilliCpu } from './status/cri-cpu.js';
export { convertPodStatusToRunningPod } from './status/running-pod.js';
export { type RuntimeState, type RuntimeStateThresholds, runtimeErrorsChanged, runtimeStateErrors } from './status/runtime-state.js';
export { backOffKey, type CrashLoopBackOff, createCrashLoopBackOff } from './sync/crash-loop-back-off.js';
export { createHookRunner, type HookRunnerOptions, type RunHookCommand, runOverCri } from './sync/hook-runner.js';
export { httpsToHttpServer } from './sync/http-get.js';
export type { ImageUser } from './users/run-as-non-root.js';
