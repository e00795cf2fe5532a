/**
 * The decisions of pod admission: which predicates a pod fails, which sysctls and host ports it may use, which pods a
 * critical pod preempts.
 *
 * @packageDocumentation
 */
export { hostPortsConflict } from './host-ports.js';
export { describeFailure, fitFailures, type PredicateFailure, type PredicateName, platformRefusal } from './predicates.js';
export { preemptionVictims } from './preemption.js';
export { missingAmount, type Shortage } from './requirement.js';
export { sysctlProblem } from './sysctl-admit-handler.js';
