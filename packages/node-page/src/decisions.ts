/**
 * Pure decisions of the node page: the lines of a pod, a container, a claim, a device, the node and its eviction thresholds, and their health.
 * @packageDocumentation
 */

export { compareLevels, type Health, type Level, type PodHealthFacts, podHealth } from '@nodeagent/pod-view/health';
export { type ClaimLine, claimLines, type DriverLine, driverLines, dynamicResourcesProblem } from './claim-lines.js';
export { type ContainerLine, containerLines, type ProbeLine } from './container-line.js';
export { type DeviceLine, type DeviceResourceLine, deviceProblem, deviceResourceLines } from './device-lines.js';
export { type NodeConditionLine, type NodeLine, nodeLine, verdictOf } from './node-line.js';
export { type PodLine, podLine, type WorkerLine } from './pod-line.js';
export { podManifest } from './pod-manifest.js';
export { type PressureBar, type PressureMark, pressureBars } from './pressure.js';
export { createUsageHistory, type Usage, type UsageHistory, type UsageSample, type UsageSeries } from './usage-history.js';
export { type NetworkBytes, usageSample } from './usage-sample.js';
