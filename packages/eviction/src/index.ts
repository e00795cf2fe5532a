/**
 * Node-pressure eviction: which pods have to go when a node runs out of memory, disk or processes, and which are not admitted.
 *
 * @packageDocumentation
 */
export { admitUnderPressure } from './admit.js';
export { type CgroupMemoryEventsOptions, createCgroupMemoryEvents } from './cgroup-memory-events.js';
export { evictionErrorCodes } from './errors.js';
export { createEvictionManager, type EvictionManager } from './eviction-manager.js';
export type {
  ConditionExplanation,
  EvictionCandidate,
  EvictionExplanation,
  ThresholdExplanation,
} from './explain.js';
export {
  type DiskMeasure,
  type FileSystemLayout,
  fileSystemUse,
  type NodeReclaim,
  nodeReclaims,
  updateContainerFsThresholds,
} from './file-systems.js';
export { localStorageExcess, type StorageExcess } from './local-storage.js';
export { type EvictionMessage, evictionMessage } from './message.js';
export { makeObservations, type SignalObservation, type SignalObservations } from './observations.js';
export type {
  EvictionKill,
  EvictionManagerOptions,
  EvictionSettings,
  FileSystems,
  MemoryEvents,
  NodeReclaimer,
} from './options.js';
export { defaultEvictionHard, parseThresholds, type ThresholdConfig } from './parse-thresholds.js';
export { byEvictionPriority, noPressure, observePressure, type PressureInput, type PressureState } from './pressure.js';
export {
  activeConditions,
  conditionsLastObservedAt,
  pressureConditionsOf,
  thresholdsFirstObservedAt,
  thresholdsMetGracePeriod,
} from './pressure-times.js';
export { type RankedPod, rankForDisk, rankForMemory, rankForPids, type StatsOf } from './rank.js';
export {
  type EvictionSignal,
  isEvictionSignal,
  type NodeFileSystem,
  type PressureCondition,
  type SignalMeaning,
  type StarvedResource,
  signalMeanings,
} from './signals.js';
export { isHardThreshold, type Threshold, type ThresholdValue, thresholdLevel, thresholdQuantity } from './threshold.js';
export { mergeThresholds, thresholdsMet, thresholdsWithNewFigures } from './thresholds-met.js';
