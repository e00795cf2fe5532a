/**
 * CPU manager: assigns exclusive CPUs to containers of Guaranteed pods. The pure functions are exported from
 * `@nodeagent/cpu-manager/decisions`.
 *
 * @packageDocumentation
 */
export type { CpuPlan, PlannedCpus } from './allocate-cpus.js';
export { type CpuManager, createCpuManager } from './cpu-manager.js';
export { cpuManagerErrorCodes } from './errors.js';
export type { AssignmentExplanation, CpuExplanation, CpuPoolsExplanation, ReconcileExplanation, ReconcileFailure } from './explain.js';
export type { CpuManagerOptions, RunningContainer } from './options.js';
export type { CpuManagerPolicyOptions, PolicyOptionGates, StaticPolicyOptions } from './policy-options.js';
