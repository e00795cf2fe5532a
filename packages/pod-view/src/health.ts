/**
 * The health of a pod and of its containers: one level and one reason, the same for every view of a node.
 *
 * @packageDocumentation
 */
export { containerLevel, containerStateText } from './health/container-level.js';
export { compareLevels, type Health, type Level } from './health/level.js';
export { type PodHealthFacts, podHealth } from './health/pod-health.js';
