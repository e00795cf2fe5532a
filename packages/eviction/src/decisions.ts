/**
 * The decisions of eviction: which thresholds are met, which conditions a node has, which pod ranks first, what its message says.
 *
 * @packageDocumentation
 */
export { admitUnderPressure } from './admit.js';
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
export { byEvictionPriority, noPressure, observePressure, type PressureInput, type PressureState } from './pressure.js';
export {
  activeConditions,
  conditionsLastObservedAt,
  pressureConditionsOf,
  thresholdsFirstObservedAt,
  thresholdsMetGracePeriod,
} from './pressure-times.js';
export { type RankedPod, rankForDisk, rankForMemory, rankForPids, type StatsOf } from './rank.js';
export { isEvictionSignal, type NodeFileSystem, type SignalMeaning, type StarvedResource, signalMeanings } from './signals.js';
export { isHardThreshold, thresholdLevel, thresholdQuantity } from './threshold.js';
export { mergeThresholds, thresholdsMet, thresholdsWithNewFigures } from './thresholds-met.js';
