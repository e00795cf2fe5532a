/**
 * Pure functions of the pod workers: the effect of updates and finished syncs, the start of a sync, grace periods, and the table of worker
 * records.
 *
 * @packageDocumentation
 */
export { applyUpdate, type UpdateDecision, type UpdateTarget, updateTarget } from './apply-update.js';
export { completeSync, type SyncCompletion, type SyncOutcome } from './complete-sync.js';
export { explainWorker } from './explain.js';
export { type EffectiveGracePeriod, effectiveGracePeriod, type GracePeriodSources, killTimeoutSeconds } from './grace-period.js';
export { applyKnownPods, describeWorker } from './known-pods.js';
export { createPodWorkerQueries, type PodWorkerQueries, type PodWorkerRecords } from './queries.js';
export {
  type ActiveUpdate,
  type CompletionCallback,
  isRuntimeStatusTerminal,
  type KillSettings,
  newRecord,
  type PodWorkerRecord,
  podWorkerState,
  requeueLastUpdate,
} from './record.js';
export { earliestBackOffExpiry, isNetworkNotReady, jitter, type RequeueSettings, requeueDelay, transientErrorPeriodMs } from './requeue.js';
export {
  abandonUnstarted,
  acknowledgeTerminating,
  beginSync,
  mergeUpdate,
  type PodWork,
  pendingWork,
  startCondition,
} from './start-sync.js';
export { canStartStaticPod, type StaticPodQueue } from './static-pods.js';
export {
  createPodWorkerTable,
  type KnownPodsDecision,
  type PodWorkerTable,
  type PodWorkerTableOptions,
  type SyncStart,
} from './worker-table.js';
