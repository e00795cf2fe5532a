/**
 * The subsystems wired into a working node agent.
 *
 * @packageDocumentation
 */
export type { PullInProgress } from '@nodeagent/image-manager';
export { createFileSource, type FileSourceOptions } from '@nodeagent/pod-sources';
export type { PodWorkerExplanation, PodWorkerLastSync } from '@nodeagent/pod-workers';
export { createMemoryFiles, type MemoryFiles, type PodFiles } from '@nodeagent/runtime-manager';
export type { NodeAgent, NodeAgentEvents, NodeAgentOptions, NodeAgentParts, PodExplanation, PodView } from './agent-types.js';
export type { ContainerBackOff } from './back-offs.js';
export { coreErrorCodes } from './errors.js';
export { type MachineFacts, readMachineFacts } from './machine.js';
export { createNodeAgent } from './node-agent.js';
export { createMemoryPodDirs, createPodDirs, type PodDirs } from './pod-dirs.js';
export type { CountedEvent, RecordedEvent } from './pod-events.js';
export { defaultSettings, effectiveSettings, type NodeAgentSettings } from './settings.js';
