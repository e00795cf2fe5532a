/**
 * The decisions of the controllers as pure functions: which node a pod gets, what a workload writes next, when a taint evicts a pod.
 *
 * @packageDocumentation
 */
export { reconcileTokenSecret, type SecretToken, type TokenSecretInput } from './accounts/token-secrets.js';
export type { AutoscalerMemory } from './autoscaling/limit-change.js';
export type { MetricSamples } from './autoscaling/metric-samples.js';
export type { AutoscalerStatus, HorizontalPodAutoscaler } from './autoscaling/objects.js';
export { type AutoscalerDecision, type AutoscalerInput, reconcileHorizontalPodAutoscaler } from './autoscaling/reconcile-autoscaler.js';
export { requestEndsAt } from './certificates/request-cleaner.js';
export {
  createDeviceAllocator,
  type DeviceAllocator,
  type DeviceAllocatorInput,
} from './devices/allocate-claims.js';
export type { DeviceMatcher } from './devices/claim-requests.js';
export { type PodClaimsInput, type PodClaimsStep, reconcilePodClaims } from './devices/pod-claims.js';
export { type ClaimWrite, reconcileResourceClaim } from './devices/reconcile-claim.js';
export { controllerScales } from './disruptions/controller-scales.js';
export {
  type BudgetEvent,
  budgetPods,
  type ControllerScale,
  type DisruptionBudget,
  type DisruptionBudgetInput,
  type DisruptionBudgetPlan,
  type DisruptionBudgetStatus,
  disruptionBudgetStatus,
} from './disruptions/disruption-budget.js';
export { disruptionStaleAt } from './disruptions/stale-disruption.js';
export { type DividedRange, dividedRange } from './nodes/node-ipam.js';
export { ttlStep } from './nodes/node-ttl.js';
export { evictionDelayMs } from './nodes/taint-eviction.js';
export {
  type ExplainSchedulingInput,
  explainScheduling,
  type NodeExplanation,
  type SchedulingExplanation,
} from './scheduler/explain-scheduling.js';
export type { AffinityTerm, AffinityTerms, LabelMatcher, Labels } from './scheduler/framework/affinity-terms.js';
export type { HostPort } from './scheduler/framework/host-ports.js';
export type { NodeInfo } from './scheduler/framework/node-info.js';
export type { ClusterChange, Misfit, ObjectWrite, PreFilter, Reservation, SchedulerPlugin } from './scheduler/framework/plugin.js';
export type { PodInfo } from './scheduler/framework/pod-info.js';
export type { Amounts } from './scheduler/framework/resources.js';
export type { ObjectReader, Snapshot } from './scheduler/framework/snapshot.js';
export { conditionTaints, nodeTaints } from './scheduler/node-taints.js';
export { defaultPlugins } from './scheduler/plugins/default-plugins.js';
export { type ScheduleInput, type ScheduleResult, type SchedulingCluster, scheduleOnce } from './scheduler/schedule-once.js';
export { type EndpointSlicesInput, type EndpointSlicesPlan, reconcileEndpointSlices } from './services/endpoint-slices.js';
export { reconcileEndpoints, repackSubsets } from './services/endpoints-object.js';
export { type MirrorInput, mirrorEndpoints } from './services/mirror-endpoints.js';
export type {
  Endpoint,
  EndpointHints,
  EndpointPort,
  EndpointSlice,
  EndpointSliceWrite,
  EndpointSubset,
  EndpointsObject,
  ServiceObject,
  ServicePort,
} from './services/objects.js';
export { type ClaimInput, type ClaimStep, reconcileClaim, reconcileVolume } from './volumes/bind-claim.js';
export type { VolumeWrite } from './volumes/objects.js';
export { type FoundVolumes, findNodeVolumes, type PodClaims, podVolumeClaims, type VolumeObjects } from './volumes/pod-volumes.js';
export { withCondition } from './with-condition.js';
export { type CronJobInput, reconcileCronJob } from './workloads/cron/cron-job.js';
export { type CronSchedule, parseCronSchedule } from './workloads/cron/schedule.js';
export { reconcileDaemonSet } from './workloads/daemon-set.js';
export { reconcileDeployment } from './workloads/deployment.js';
export { reconcileJob } from './workloads/job.js';
export type {
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  EventText,
  Job,
  Reconciliation,
  ReplicaSet,
  StatefulSet,
  Write,
  WriteFailure,
} from './workloads/objects.js';
export { reconcileReplicaSet } from './workloads/replica-set.js';
export { reconcileStatefulSet, type StatefulSetInput } from './workloads/stateful-set.js';
