/**
 * Pure functions of pod admission: failed predicates, forbidden sysctls, host port conflicts, preemption victims.
 *
 * @packageDocumentation
 */
export { hostPortsConflict } from './host-ports.js';
export { describeFailure, fitFailures, matchesAffinity, type PredicateFailure, type PredicateName, platformRefusal } from './predicates.js';
export { preemptionVictims } from './preemption.js';
export { missingAmount, type Shortage } from './requirement.js';
export { sysctlProblem } from './sysctl-admit-handler.js';
