import type { LabelSelector, ObjectMeta, PersistentVolumeClaim, Pod, PodSpec } from '@nodeagent/api';

/** A number, or a percentage such as `25%`. */
export type IntOrPercent = number | string;

export interface PodTemplate {
  metadata?: ObjectMeta;
  spec: PodSpec;
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
  lastProbeTime?: string;
  lastTransitionTime?: string;
}

interface WorkloadObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

interface ReplicaSetSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector?: LabelSelector;
  template: PodTemplate;
}

/** `apps/v1`, `ReplicaSet`: the fields that its controller reads and writes. */
export interface ReplicaSet extends WorkloadObject {
  spec: ReplicaSetSpec;
  status?: {
    replicas?: number;
    fullyLabeledReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    terminatingReplicas?: number;
    observedGeneration?: number;
    conditions?: readonly Condition[];
  };
}

/** `apps/v1`, `Deployment`: the fields that its controller reads and writes. */
export interface Deployment extends WorkloadObject {
  spec: ReplicaSetSpec & {
    paused?: boolean;
    revisionHistoryLimit?: number;
    progressDeadlineSeconds?: number;
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent } };
  };
  status?: {
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    unavailableReplicas?: number;
    terminatingReplicas?: number;
    collisionCount?: number;
    observedGeneration?: number;
    conditions?: readonly Condition[];
  };
}

/** `apps/v1`, `DaemonSet`: the fields that its controller reads and writes. */
export interface DaemonSet extends WorkloadObject {
  spec: {
    minReadySeconds?: number;
    selector?: LabelSelector;
    template: PodTemplate;
    revisionHistoryLimit?: number;
    updateStrategy?: { type?: string; rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent } };
  };
  status?: {
    currentNumberScheduled?: number;
    desiredNumberScheduled?: number;
    numberMisscheduled?: number;
    numberReady?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    numberUnavailable?: number;
    collisionCount?: number;
    observedGeneration?: number;
  };
}

export interface PodFailurePolicyRule {
  /** `Ignore`, `Count`, `FailIndex` or `FailJob`. */
  action: string;
  /** `operator` is `In` or `NotIn`. Default: any container. */
  onExitCodes?: { containerName?: string; operator: string; values: number[] };
  onPodConditions?: { type: string; status?: string }[];
}

export interface PodFailurePolicy {
  rules: PodFailurePolicyRule[];
}

/** A rule holds for enough succeeded indexes, or for all of those listed. */
export interface SuccessPolicy {
  rules: { succeededIndexes?: string; succeededCount?: number }[];
}

/** `batch/v1`, `Job`: the fields that its controller reads and writes. */
export interface Job extends WorkloadObject {
  spec: {
    parallelism?: number;
    completions?: number;
    /** `NonIndexed` or `Indexed`. */
    completionMode?: string;
    backoffLimit?: number;
    backoffLimitPerIndex?: number;
    maxFailedIndexes?: number;
    podFailurePolicy?: PodFailurePolicy;
    successPolicy?: SuccessPolicy;
    /** `TerminatingOrFailed` or `Failed`. */
    podReplacementPolicy?: string;
    managedBy?: string;
    ttlSecondsAfterFinished?: number;
    activeDeadlineSeconds?: number;
    suspend?: boolean;
    selector?: LabelSelector;
    template: PodTemplate;
  };
  status?: {
    startTime?: string;
    completionTime?: string;
    active?: number;
    terminating?: number;
    ready?: number;
    succeeded?: number;
    failed?: number;
    completedIndexes?: string;
    failedIndexes?: string;
    uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
    conditions?: readonly Condition[];
  };
}

/** `v1`, `ObjectReference`. */
export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

/** `batch/v1`, `CronJob`: the fields that its controller reads and writes. */
export interface CronJob extends WorkloadObject {
  spec: {
    schedule: string;
    /** Name of the tz database. */
    timeZone?: string;
    startingDeadlineSeconds?: number;
    /** `Allow`, `Forbid` or `Replace`. */
    concurrencyPolicy?: string;
    suspend?: boolean;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate: { metadata?: ObjectMeta; spec: Job['spec'] };
  };
  status?: { active?: ObjectReference[]; lastScheduleTime?: string; lastSuccessfulTime?: string };
}

/** `apps/v1`, `StatefulSet`: the fields that its controller reads and writes. */
export interface StatefulSet extends WorkloadObject {
  spec: ReplicaSetSpec & {
    serviceName?: string;
    /** `OrderedReady` or `Parallel`. */
    podManagementPolicy?: string;
    ordinals?: { start?: number };
    revisionHistoryLimit?: number;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number; maxUnavailable?: IntOrPercent } };
    /** `Retain` or `Delete` each. */
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
    volumeClaimTemplates?: PersistentVolumeClaim[];
  };
  status?: {
    replicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    currentReplicas?: number;
    updatedReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    collisionCount?: number;
    observedGeneration?: number;
  };
}

/** `apps/v1`, `ControllerRevision`: a template of a StatefulSet or DaemonSet. */
export interface ControllerRevision extends WorkloadObject {
  /** A strategic merge patch. */
  data: { spec: { template: PodTemplate & { $patch?: string } } };
  revision: number;
}

export type Workload = ReplicaSet | Deployment | DaemonSet | Job | StatefulSet | CronJob;

/** A write of a controller. `updateStatus` writes the subresource, with the complete object. */
export interface Write {
  verb: 'create' | 'update' | 'updateStatus' | 'delete';
  object: Workload | Pod | ControllerRevision | (PersistentVolumeClaim & { metadata: ObjectMeta });
  /** Of a deletion. Default: that of the kind. */
  propagationPolicy?: 'Foreground';
}

/** An event about the reconciled object. Writes of pods have theirs besides. */
export interface EventText {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

/** Why a write of dependents failed. */
export interface WriteFailure {
  /** `FailedCreate` or `FailedDelete`. */
  reason: string;
  message: string;
}

export interface Reconciliation {
  writes: Write[];
  events?: EventText[];
  /** When to reconcile again without a change, in milliseconds since 1970; absent if not needed. */
  againAt?: number;
}
