/**
 * A whole cluster in one process and in virtual time: an API server, a scheduler and controllers, and any number of nodes with real
 * agents and simulated containers.
 *
 * @packageDocumentation
 */
export type { ContainerBehaviour, ContainerMatch, ContainerSubject, ExecAnswer, Script } from '@nodeagent/memory-runtime';
export type { AgentPeriods } from './agent-periods.js';
export { type AgentProcess, createAgentProcess } from './agent-process.js';
export type { MetricValue } from './cluster-metrics.js';
export { type Duration, milliseconds } from './duration.js';
export { testClusterErrorCodes } from './errors.js';
export type { PartitionKind } from './node-link.js';
export type { ClusterFaults, SimulatedAgentOptions, TestClusterOptions, TestNodeOptions } from './options.js';
export type { MachineUsage } from './own-usage.js';
export { keepPace, type PaceOptions } from './pace.js';
export type { CrashKind, TestNode } from './simulated-node.js';
export { createTestCluster, type TestCluster } from './test-cluster.js';
export { recordTimeline, type Timeline, type TimelineOptions, type TimelineRecord } from './timeline.js';
export { type ClusterTrace, elapsedText } from './trace.js';
