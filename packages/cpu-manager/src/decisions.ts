/**
 * Pure functions of the CPU manager: the choice of CPUs, the static policy and its topology hints, and the format of the state file.
 *
 * @packageDocumentation
 */
export { allocateCpus, type CpuAllocation, type CpuPlan, type PlannedCpus, planCpus } from './allocate-cpus.js';
export { type ContainerLookup, type CpuCheckpoint, decodeCpuCheckpoint, encodeCpuCheckpoint } from './checkpoint.js';
export { containerCpuHints, podCpuHints } from './cpu-hints.js';
export { exclusiveCpuCount, exclusivePodCpuCount } from './cpu-requests.js';
export { type CpuAssignments, type CpuState, emptyCpuState, releaseCpus } from './cpu-state.js';
export { type CpuGroup, type CpuTopology, indexCpus } from './cpu-topology.js';
export type { CpuManagerPolicyOptions, PolicyOptionGates, StaticPolicyOptions } from './policy-options.js';
export { type CpuUpdate, type CpuUpdatesInput, planCpuUpdates } from './reconcile.js';
export { reuseInitCpus } from './reuse-init-cpus.js';
export { createStaticPolicy, type StaticPolicy, type StaticPolicyInput, startState } from './static-policy.js';
export { type TakeOptions, takeByTopology } from './take-by-topology.js';
