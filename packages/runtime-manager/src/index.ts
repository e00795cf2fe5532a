/**
 * Turns a pod spec and the observed containers into CRI calls: what to start, stop and keep, with back-off and hooks.
 * `@nodeagent/runtime-manager/decisions` exports its pure functions, `@nodeagent/runtime-manager/node` what touches this machine.
 *
 * @packageDocumentation
 */

export { createPodCgroupParent } from './config/cgroup-parent.js';
export type { ContainerDeviceOptions, ContainerLifecycle } from './config/container-devices.js';
export { lookupRuntimeHandler } from './config/runtime-class.js';
export type { CriRuntime } from './cri/methods.js';
export type { ResizableResource } from './decide/pod-actions.js';
export { runtimeManagerErrorCodes } from './errors.js';
export type { PodFiles } from './files.js';
export { type ContainerGc, type ContainerGcOptions, createContainerGc } from './gc/container-gc.js';
export { createMemoryFiles, type MemoryFiles } from './memory-files.js';
export type {
  ContainerImageRequest,
  ImageEnsurer,
  Machine,
  PodStateProvider,
  ResizablePodCgroups,
  RuntimeManager,
  RuntimeManagerOptions,
  UsableImage,
} from './options.js';
export { createRuntimeManager } from './runtime-manager.js';
export {
  containerGcSettings,
  type RuntimeFeatureGates,
  type RuntimeManagerSettings,
  runtimeManagerSettings,
  runtimeMonitorSettings,
} from './settings.js';
export { createRuntimeInventory, type RuntimeInventory, type RuntimeInventoryOptions } from './status/runtime-inventory.js';
export { createRuntimeMonitor, type RuntimeMonitor, type RuntimeMonitorOptions } from './status/runtime-monitor.js';
export type { ActuatedPod, ActuatedState, ActuatedStateStore } from './sync/actuated-state.js';
export type { HookRequest, HookRunner } from './sync/hooks.js';
export type { HookHttpGet } from './sync/http-get.js';
export type { IdBlock } from './users/id-ranges.js';
export { subordinateIds } from './users/subordinate-ids.js';
export { createUserNamespaces, type UserNamespaces, type UserNamespacesOptions } from './users/user-namespaces.js';
