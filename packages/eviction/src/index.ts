/**
 * Node-pressure eviction: evicts pods when a node runs out of memory, disk or process IDs, and refuses new pods under pressure. The pure
 * functions are exported from `@nodeagent/eviction/decisions`, what watches the machine from `@nodeagent/eviction/node`.
 *
 * @packageDocumentation
 */
export { defaultEvictionHard } from '@nodeagent/api/helpers';
export { evictionErrorCodes } from './errors.js';
export { createEvictionManager, type EvictionManager } from './eviction-manager.js';
export type { ConditionExplanation, EvictionCandidate, EvictionExplanation, ThresholdExplanation } from './explain.js';
export type { DiskInfoProvider, EvictionKill, EvictionManagerOptions, MemoryEvents, NodeReclaimer } from './options.js';
export { parseThresholds } from './parse-thresholds.js';
export { type EvictionSettings, evictionSettings, type ThresholdConfig } from './settings.js';
export type { EvictionSignal, PressureCondition } from './signals.js';
export type { ContainerStatsInput, FsStatsInput, MemoryStatsInput, NodeStatsInput, PodStatsInput, SummaryInput } from './stats-input.js';
export type { Threshold, ThresholdValue } from './threshold.js';
