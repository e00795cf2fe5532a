/**
 * Topology manager: aligns the resources of containers on NUMA nodes when a pod is admitted. The pure functions are exported from
 * `@nodeagent/topology-manager/decisions`.
 *
 * @packageDocumentation
 */
export { topologyManagerErrorCodes } from './errors.js';
export type { AlignmentExplanation, PodTopologyExplanation } from './explain.js';
export type { ChosenHint } from './merge-hints.js';
export type { TopologyManagerOptions, TopologyManagerScope } from './options.js';
export type { TopologyManagerPolicy } from './policy.js';
export type { ParsedPolicyOptions, TopologyManagerPolicyOptions } from './policy-options.js';
export { createTopologyManager, type TopologyExplanation, type TopologyManager } from './topology-manager.js';
