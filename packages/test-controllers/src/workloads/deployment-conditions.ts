import { formatTime, parseTime } from '@nodeagent/api/helpers';
import type { Condition, Deployment } from './objects.js';

type Status = NonNullable<Deployment['status']>;

/** Progress of a rollout. */
export interface Rollout {
  replicas: number;
  /** Maximum number of unavailable pods. */
  maxUnavailable: number;
  /** The ReplicaSet of the current template; absent before it is created. */
  newName?: string;
  /** Name of the ReplicaSet that is created now. */
  created?: string;
  /** The condition ReplicaFailure of a ReplicaSet. */
  failure?: Condition;
  now: number;
}

/** Whether all pods are of the current template and available, and no old pod is left. */
export function isComplete({ updatedReplicas, replicas, availableReplicas }: Status, wanted: number): boolean {
  return updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
}

function merge(old: Condition | undefined, condition: Content, moved: boolean, now: number): Condition {
  if (old && old.status === condition.status && old.reason === condition.reason && old.message === condition.message && !moved) return old;
  const time = formatTime(now);
  return {
    ...condition,
    lastUpdateTime: time,
    lastTransitionTime: old?.status === condition.status ? (old.lastTransitionTime ?? time) : time,
  };
}

type Content = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

const progressing = (status: string, reason: string, message: string): Content => ({ type: 'Progressing', status, reason, message });

/** The condition Progressing; undefined without a deadline of progress. */
function progressOf(
  deployment: Deployment,
  status: Status,
  old: Condition | undefined,
  moved: boolean,
  rollout: Rollout,
): Content | undefined {
  const { replicas, newName, created, now } = rollout;
  const { paused, progressDeadlineSeconds = 600 } = deployment.spec;
  if (progressDeadlineSeconds >= noDeadline) return undefined;
  const kept = old && progressing(old.status, old.reason ?? '', old.message ?? '');
  if (paused)
    return kept?.reason === 'ProgressDeadlineExceeded' ? kept : progressing('Unknown', 'DeploymentPaused', 'Deployment is paused');
  if (kept?.reason === 'DeploymentPaused') return progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  if (created !== undefined && (!old || old.reason === 'NewReplicaSetAvailable'))
    return progressing('True', 'NewReplicaSetCreated', `Created new replica set "${created}"`);
  const what = newName === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newName}"`;
  if (isComplete(status, replicas) && newName !== undefined) {
    return progressing('True', 'NewReplicaSetAvailable', `${what} has successfully progressed.`);
  }
  if (old?.reason === 'NewReplicaSetAvailable' && status.replicas === status.updatedReplicas) return kept;
  if (moved || old === undefined || old.reason === 'NewReplicaSetAvailable') {
    return progressing('True', 'ReplicaSetUpdated', `${what} is progressing.`);
  }
  const deadline = deadlineOf(deployment, old);
  if (deadline !== undefined && now >= deadline)
    return progressing('False', 'ProgressDeadlineExceeded', `${what} has timed out progressing.`);
  return kept;
}

/** A deadline that never passes. */
const noDeadline = 2 ** 31 - 1;

/** When a rollout without progress counts as failed. */
function deadlineOf({ spec }: Deployment, progressing: Condition | undefined): number | undefined {
  const since = parseTime(progressing?.lastUpdateTime);
  return since === undefined ? undefined : since + (spec.progressDeadlineSeconds ?? 600) * 1_000;
}

/**
 * The conditions Available and Progressing after the counts have become those of `status`, and when the rollout's deadline passes.
 * Kubernetes documentation, "Deployments: Deployment status".
 */
export function deploymentConditions(
  deployment: Deployment,
  status: Status,
  rollout: Rollout,
): { conditions: Condition[]; againAt?: number } {
  const { replicas, maxUnavailable, now } = rollout;
  const find = (type: string) => deployment.status?.conditions?.find((condition) => condition.type === type);
  const enough = (status.availableReplicas ?? 0) >= replicas - maxUnavailable;
  const available = enough
    ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };

  const before = deployment.status ?? {};
  const moved =
    (status.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    (status.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (before.availableReplicas ?? 0) ||
    (status.replicas ?? 0) - (status.updatedReplicas ?? 0) < (before.replicas ?? 0) - (before.updatedReplicas ?? 0);
  const old = find('Progressing');
  const content = progressOf(deployment, status, old, moved, rollout);
  const progress = content && merge(old, content, moved && content.reason === 'ReplicaSetUpdated', now);
  const deadline = deadlineOf(deployment, progress);
  const isWaiting = progress && progress.reason !== 'NewReplicaSetAvailable' && progress.reason !== 'ProgressDeadlineExceeded';
  const { failure } = rollout;
  const conditions = [
    merge(find('Available'), available, false, now),
    ...(progress ? [progress] : []),
    ...(failure ? [merge(find('ReplicaFailure'), pickContent(failure), false, now)] : []),
  ];
  return { conditions, ...(isWaiting && !deployment.spec.paused && deadline !== undefined && { againAt: deadline }) };
}

const pickContent = ({ type, status, reason = '', message = '' }: Condition): Content => ({ type, status, reason, message });
