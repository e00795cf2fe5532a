/**
 * Pod status as a kubelet reports it: how it follows from what the runtime says, the versioned cache that holds it, and
 * how it gets to the API server.
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
export { statusManagerErrorCodes } from './errors.js';
export {
  activeDeadline,
  activeDeadlineExceeded,
  deadlineExceeded,
  type EvictHandler,
  type PodEviction,
} from './generate/active-deadline.js';
export { applyProbeResults, type ProbedStatus } from './generate/apply-probe-results.js';
export { type ContainerStatusesInput, convertToApiContainerStatuses, type WaitingReason } from './generate/container-statuses.js';
export { createDeadlineTimers, type DeadlineTimers } from './generate/deadline-timers.js';
export { type GenerateStatusInput, generateApiPodStatus } from './generate/generate-status.js';
export { getPhase, type Phase, type PhaseInput } from './generate/get-phase.js';
export {
  generateAllContainersRestartingCondition,
  generatePodInitializedCondition,
  generatePodReadyToStartContainersCondition,
} from './generate/pod-conditions.js';
export { type PodResources, podResourcesFromSpec } from './generate/pod-resources.js';
export {
  type ContainerConditionInput,
  generateContainersReadyCondition,
  generatePodReadyCondition,
  needToReconcilePodReadiness,
} from './generate/ready-conditions.js';
export { createReasonCache, type ReasonCache } from './generate/reason-cache.js';
export { createResizeConditions, type ResizeConditions } from './generate/resize-conditions.js';
export { shouldAllContainersRestart } from './generate/restart.js';
export type { PodLookup } from './manager/ports.js';
export { createStatusManager, type StatusManagerOptions, type VersionedStatusManager } from './manager/status-manager.js';
export { type ApiStatusSinkOptions, createApiStatusSink } from './sink/api-status-sink.js';
export { applyStatusPatch } from './sink/apply-status-patch.js';
export { nextStatusRequest, type StatusRequest, type StatusRequestInput } from './sink/next-request.js';
export { type StatusPatch, statusPatch } from './sink/status-patch.js';
