/**
 * The admission of pods by a node: sysctls, the scheduler's predicates, and preemption for critical pods. The pure functions are exported
 * from `@nodeagent/pod-admission/decisions`.
 *
 * @packageDocumentation
 */
export { podAdmissionErrorCodes } from './errors.js';
export { createNodeAdmission, type NodeAdmissionOptions } from './node-admission.js';
export {
  createPredicateAdmitHandler,
  type PredicateAdmitAttributes,
  type PredicateAdmitHandler,
  type PredicateAdmitHandlerOptions,
  type PredicateAdmitResult,
} from './predicate-admit-handler.js';
export type { Refusal } from './predicates.js';
export { createPreempter, type PreempterOptions } from './preempter.js';
export type { ResourceRequirement } from './requirement.js';
export { createSysctlAdmitHandler, type SysctlAdmitHandlerOptions } from './sysctl-admit-handler.js';
