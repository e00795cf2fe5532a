/**
 * Turns a pod spec and the observed containers into CRI calls: what to start, kill and keep, with back-off and hooks.
 *
 * @packageDocumentation
 */
export { type ActuatedPod, type ActuatedState, type ActuatedStateStore, createFileActuatedState } from './actuated-state.js';
export { type CgroupDriver, createPodCgroupParent, podCgroupParent } from './cgroup-parent.js';
export { computePodActions } from './compute-pod-actions.js';
export { type ContainerConfigInputs, generateContainerConfig } from './container-config.js';
export { blockDevices, type ContainerDeviceOptions, type ContainerLifecycle } from './container-devices.js';
export { type ContainerGc, type ContainerGcOptions, createContainerGc } from './container-gc.js';
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
export { errorCodes } from './errors.js';
export { nodeFiles, type PodFiles } from './files.js';
export { hashContainer } from './hash-container.js';
export { createHookRunner, type HookRunnerOptions, type RunInContainer, runOverCri } from './hook-runner.js';
export type { HookRequest, HookRunner } from './hooks.js';
export { type HttpGet, httpsToHttpServer, nodeHttpGet } from './http-get.js';
export type { IdBlock } from './id-ranges.js';
export {
  type LinuxResourceSettings,
  linuxContainerResources,
  linuxOverheadResources,
  linuxPodResources,
} from './linux-resources.js';
export {
  containerIdFromLegacyLogSymlink,
  containerLogPath,
  containerLogsDirectory,
  legacyLogSymlink,
  podLogsDirectory,
  podUidFromLogsDirectory,
} from './log-paths.js';
export { createMemoryFiles, type MemoryFiles } from './memory-files.js';
export type { MemoryQos } from './memory-qos.js';
export type {
  CriRuntime,
  EnsureImageRequest,
  ImageEnsurer,
  Machine,
  PodCgroups,
  PodStateProvider,
  RuntimeManager,
  RuntimeManagerOptions,
  SubPathRequest,
} from './options.js';
export type {
  ContainerToKill,
  ContainerToReset,
  ContainerToUpdate,
  PodActions,
  PodActionsInput,
  ResizableResource,
} from './pod-actions.js';
export { isPodResizeInProgress, type ResizeInProgressInput } from './resize-in-progress.js';
export { type PodResizeInput, planPodResize, type ResizeStep } from './resize-plan.js';
export type { ResourceValues } from './resource-values.js';
export type { ImageUser } from './run-as-non-root.js';
export { lookupRuntimeHandler } from './runtime-class.js';
export { createRuntimeInventory, type RuntimeInventory, type RuntimeInventoryOptions } from './runtime-inventory.js';
export { createRuntimeManager } from './runtime-manager.js';
export { createRuntimeMonitor, type RuntimeMonitor, type RuntimeMonitorOptions } from './runtime-monitor.js';
export { type RuntimeState, type RuntimeStateThresholds, runtimeErrors, runtimeErrorsChanged } from './runtime-state.js';
export { generateSandboxConfig, type SandboxConfigInputs } from './sandbox-config.js';
export { type GcSandbox, type SandboxGcInput, type SandboxToEvict, sandboxesToEvict } from './sandboxes-to-evict.js';
export type { ContainerSecurityInputs, SecurityContextInputs } from './security-context.js';
export type { RuntimeManagerSettings } from './settings.js';
export { triggersRestartAllContainers } from './should-restart.js';
export { subordinateIds } from './subordinate-ids.js';
export { terminationPrerequisites } from './termination-order.js';
export { createUserNamespaces, type UserNamespaces, type UserNamespacesOptions } from './user-namespaces.js';
