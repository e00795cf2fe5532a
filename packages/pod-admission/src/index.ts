/**
 * The admission of pods by a node: sysctls, the scheduler's predicates, and preemption for critical pods.
 *
 * @packageDocumentation
 */
export { podAdmissionErrorCodes } from './errors.js';
export { hostPortsConflict } from './host-ports.js';
export { createNodeAdmission, type NodeAdmissionOptions } from './node-admission.js';
export {
  createPredicateAdmitHandler,
  type PredicateAdmitAttributes,
  type PredicateAdmitHandler,
  type PredicateAdmitHandlerOptions,
  type PredicateAdmitResult,
} from './predicate-admit-handler.js';
export {
  describeFailure,
  fitFailures,
  type PredicateFailure,
  type PredicateName,
  platformRefusal,
  type Refusal,
} from './predicates.js';
export { createPreempter, type PreempterOptions } from './preempter.js';
export { preemptionVictims } from './preemption.js';
export { missingAmount, type ResourceRequirement, type Shortage } from './requirement.js';
export { createSysctlAdmitHandler, type SysctlAdmitHandlerOptions, sysctlProblem } from './sysctl-admit-handler.js';
