/**
 * Pod status as the kubelet reports it: computed from the runtime status, cached with versions, and written to the API server. The pure
 * functions are exported from `@nodeagent/status-manager/decisions`.
 *
 * @packageDocumentation
 */
export { statusManagerErrorCodes } from './errors.js';
export type { EvictHandler, PodEviction } from './generate/active-deadline.js';
export type { ProbedStatus } from './generate/apply-probe-results.js';
export type { ContainerStatusesInput, WaitingReason } from './generate/container-statuses.js';
export { createDeadlineTimers, type DeadlineTimers } from './generate/deadline-timers.js';
export { generateApiPodStatus } from './generate/generate-status.js';
export type { PodResources } from './generate/pod-resources.js';
export { createReasonCache, type ReasonCache } from './generate/reason-cache.js';
export { createResizeConditions, type ResizeConditions } from './generate/resize-conditions.js';
export type { GenerateStatusInput } from './generate/status-input.js';
export type { PodLookup } from './manager/ports.js';
export { createStatusManager, type StatusManagerOptions, type VersionedStatusManager } from './manager/status-manager.js';
export { createApiStatusSink } from './sink/api-status-sink.js';
export type { ApiStatusSinkOptions } from './sink/options.js';
