/**
 * Pod status as a kubelet reports it: how it follows from what the runtime says, the versioned cache that holds it, and
 * how it gets to the API server.
 * The pure functions and parts that it is made of are in `@nodeagent/status-manager/decisions`.
 *
 * @packageDocumentation
 */
export { statusManagerErrorCodes } from './errors.js';
export type { EvictHandler, PodEviction } from './generate/active-deadline.js';
export type { ProbedStatus } from './generate/apply-probe-results.js';
export type { ContainerStatusesInput, WaitingReason } from './generate/container-statuses.js';
export { createDeadlineTimers, type DeadlineTimers } from './generate/deadline-timers.js';
export { type GenerateStatusInput, generateApiPodStatus } from './generate/generate-status.js';
export type { PodResources } from './generate/pod-resources.js';
export { createReasonCache, type ReasonCache } from './generate/reason-cache.js';
export { createResizeConditions, type ResizeConditions } from './generate/resize-conditions.js';
export type { PodLookup } from './manager/ports.js';
export { createStatusManager, type StatusManagerOptions, type VersionedStatusManager } from './manager/status-manager.js';
export { type ApiStatusSinkOptions, createApiStatusSink } from './sink/api-status-sink.js';
