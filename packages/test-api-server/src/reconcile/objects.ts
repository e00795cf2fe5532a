import type { LabelSelector, ObjectMeta, Pod, PodSpec } from '@nodeagent/api';

/** An amount, or a share of one such as `25%`. */
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

/** `apps/v1`, `ReplicaSet`: what its controller reads and writes. */
export interface ReplicaSet extends WorkloadObject {
  spec: ReplicaSetSpec;
  status?: {
    replicas?: number;
    fullyLabeledReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    observedGeneration?: number;
  };
}

/** `apps/v1`, `Deployment`: what its controller reads and writes. */
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
    observedGeneration?: number;
    conditions?: Condition[];
  };
}

/** `apps/v1`, `DaemonSet`: what its controller reads and writes. */
export interface DaemonSet extends WorkloadObject {
  spec: {
    minReadySeconds?: number;
    selector?: LabelSelector;
    template: PodTemplate;
    updateStrategy?: { type?: string; rollingUpdate?: { maxUnavailable?: IntOrPercent } };
  };
  status?: {
    currentNumberScheduled?: number;
    desiredNumberScheduled?: number;
    numberMisscheduled?: number;
    numberReady?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    numberUnavailable?: number;
    observedGeneration?: number;
  };
}

/** `batch/v1`, `Job`: what its controller reads and writes. */
export interface Job extends WorkloadObject {
  spec: {
    parallelism?: number;
    completions?: number;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    suspend?: boolean;
    selector?: LabelSelector;
    template: PodTemplate;
  };
  status?: {
    startTime?: string;
    completionTime?: string;
    active?: number;
    ready?: number;
    succeeded?: number;
    failed?: number;
    conditions?: Condition[];
  };
}

export type Workload = ReplicaSet | Deployment | DaemonSet | Job;

/** What a controller wants written. `updateStatus` is for the subresource; the object it has is complete. */
export interface Write {
  verb: 'create' | 'update' | 'updateStatus' | 'delete';
  object: Workload | Pod;
}

export interface Reconciliation {
  writes: Write[];
  /** When to look again although nothing changed, in milliseconds since 1970; absent if there is no need. */
  againAt?: number;
}
