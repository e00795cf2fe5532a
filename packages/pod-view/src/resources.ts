/**
 * Effective requests and limits, QoS class and resize of a pod, and amounts for people. They compute with exact quantities, which a page
 * that only shows pods does without.
 *
 * @packageDocumentation
 */
export { type Amount, formatBytes, formatCpu, formatResource } from './resources/format-resources.js';
export type { PodResize } from './resources/pod-resize.js';
export { type EffectiveResources, type PodResourceSummary, podResources } from './resources/pod-resources.js';
