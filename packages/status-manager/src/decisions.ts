/**
 * Pure functions on pod statuses: phase, conditions and container statuses, merging a new status into the reported one, and the next
 * request to the API server.
 *
 * @packageDocumentation
 */
export { equalByKubelet } from './compare/equal.js';
export { type MergeStatusInput, mergePodStatus } from './compare/merge.js';
export { normalizeStatus } from './compare/normalize.js';
export { checkContainerStateTransition } from './compare/state-transition.js';
export { canBeDeleted, needsReconcile } from './compare/sync-decisions.js';
export { terminatePodStatus } from './compare/terminate.js';
export { updateLastTransitionTimes } from './compare/transition-time.js';
export { disruptionTarget, isKubeletCondition, isSharedCondition, podConditions } from './conditions.js';
export { activeDeadline, activeDeadlineExceeded, deadlineExceeded } from './generate/active-deadline.js';
export { applyProbeResults } from './generate/apply-probe-results.js';
export { convertToApiContainerStatuses } from './generate/container-statuses.js';
export { getPhase, type Phase, type PhaseInput } from './generate/get-phase.js';
export {
  generateAllContainersRestartingCondition,
  generatePodInitializedCondition,
  generatePodReadyToStartContainersCondition,
} from './generate/pod-conditions.js';
export { podResourcesFromSpec } from './generate/pod-resources.js';
export {
  type ContainerConditionInput,
  generateContainersReadyCondition,
  generatePodReadyCondition,
  needToReconcilePodReadiness,
} from './generate/ready-conditions.js';
export { shouldAllContainersRestart } from './generate/restart.js';
export { applyStatusPatch } from './sink/apply-status-patch.js';
export { nextStatusRequest, type PodStatusRequest, type PodStatusRequestInput } from './sink/next-request.js';
export type { StatusPatch } from './sink/patch-values.js';
export { statusPatch } from './sink/status-patch.js';
