/**
 * Pure decisions of the node page: the lines of a pod, a container, the node and its eviction thresholds, and their health.
 * @packageDocumentation
 */
export { type ContainerLine, containerLines, type ProbeLine } from './container-line.js';
export type { Health, Level } from './level.js';
export { type NodeConditionLine, type NodeLine, nodeLine, verdictOf } from './node-line.js';
export { compareLevels, type PodFacts, podHealth } from './pod-health.js';
export { type PodLine, podLine, type WorkerLine } from './pod-line.js';
export { podManifest } from './pod-manifest.js';
export { type PressureBar, type PressureMark, pressureBars } from './pressure.js';
export { createUsageHistory, type Usage, type UsageHistory, type UsageSample, type UsageSeries } from './usage-history.js';
export { type NetworkBytes, usageSample } from './usage-sample.js';
