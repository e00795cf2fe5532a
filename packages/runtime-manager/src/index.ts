/**
 * Turns a pod spec and the observed containers into CRI calls: what to start, stop and keep, with back-off and hooks.
 * `@nodeagent/runtime-manager/decisions` exports its pure functions.
 *
 * @packageDocumentation
 */
export { type ActuatedPod, type ActuatedState, type ActuatedStateStore, createFileActuatedState } from './actuated-state.js';
export { createPodCgroupParent } from './cgroup-parent.js';
export type { ContainerDeviceOptions, ContainerLifecycle } from './container-devices.js';
export { type ContainerGc, type ContainerGcOptions, createContainerGc } from './container-gc.js';
export type { CriRuntime } from './cri-runtime.js';
export { runtimeManagerErrorCodes } from './errors.js';
export { nodeFiles, type PodFiles } from './files.js';
export type { HookRequest, HookRunner } from './hooks.js';
export { type HookHttpGet, nodeHttpGet } from './http-get.js';
export type { IdBlock } from './id-ranges.js';
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
export type { ResizableResource } from './pod-actions.js';
export { lookupRuntimeHandler } from './runtime-class.js';
export { createRuntimeInventory, type RuntimeInventory, type RuntimeInventoryOptions } from './runtime-inventory.js';
export { createRuntimeManager } from './runtime-manager.js';
export { createRuntimeMonitor, type RuntimeMonitor, type RuntimeMonitorOptions } from './runtime-monitor.js';
export type { RuntimeManagerSettings } from './settings.js';
export { subordinateIds } from './subordinate-ids.js';
export { createUserNamespaces, type UserNamespaces, type UserNamespacesOptions } from './user-namespaces.js';
