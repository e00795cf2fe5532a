/**
 * Pure functions of eviction: met thresholds, node conditions, ranking of pods, eviction messages.
 *
 * @packageDocumentation
 */
export { admitUnderPressure } from './admit.js';
export { updateContainerFsThresholds } from './container-fs-thresholds.js';
export { evictionReserves } from './eviction-reserves.js';
export { type DiskMeasure, type FileSystemLayout, fileSystemUse, type NodeFileSystem, type NodeReclaim } from './file-systems.js';
export { localStorageExcess, type StorageExcess } from './local-storage.js';
export { type EvictionMessage, evictionMessage } from './message.js';
export type { NodeAmounts } from './node-amounts.js';
export { makeObservations, type SignalObservation, type SignalObservations } from './observations.js';
export { byEvictionPriority, noPressure, observePressure, type PressureInput, type PressureState } from './pressure.js';
export {
  activeConditions,
  conditionsLastObservedAt,
  pressureConditionsOf,
  thresholdsFirstObservedAt,
  thresholdsMetGracePeriod,
} from './pressure-times.js';
export { type RankedPod, rankForDisk, rankForMemory, rankForPids, type StatsOf } from './rank.js';
export { evictionSignals, isEvictionSignal, nodeReclaims, type SignalDefinition, type SignalUnit, signalDefinitions } from './signals.js';
export { type StarvedResource, type StarvedResourceDefinition, starvedResources } from './starved-resources.js';
export type { ContainerStatsInput, FsStatsInput, MemoryStatsInput, NodeStatsInput, PodStatsInput, SummaryInput } from './stats-input.js';
export { isHardThreshold, thresholdLevel, thresholdQuantity } from './threshold.js';
export { mergeThresholds, thresholdsMet, thresholdsWithNewStats } from './thresholds-met.js';
