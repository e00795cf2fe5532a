/**
 * Turns a pod spec and the observed containers into CRI calls: what to start, kill and keep, with back-off and hooks.
 *
 * @packageDocumentation
 */
export { computePodActions } from './compute-pod-actions.js';
export { containerGracePeriod, type KillReason, minimumGracePeriod } from './container-grace-period.js';
export { errorCodes } from './errors.js';
export { nodeFiles, type PodFiles } from './files.js';
export { hashContainer } from './hash-container.js';
export type { HookRequest, HookRunner } from './hooks.js';
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
  PodStateProvider,
  RuntimeManager,
  RuntimeManagerOptions,
  SubPathRequest,
} from './options.js';
export type {
  ContainerToKill,
  ContainerToReset,
  ContainerToUpdate,
  PodActionReason,
  PodActions,
  PodActionsInput,
  ResizableResource,
} from './pod-actions.js';
export type { ResourceValues } from './resource-values.js';
export { podSandboxChanged, type SandboxChange } from './sandbox-changed.js';
export type { RuntimeManagerSettings } from './settings.js';
export { shouldContainerBeRestarted, triggersRestartAllContainers } from './should-restart.js';
