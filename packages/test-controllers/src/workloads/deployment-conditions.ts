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
  now: number;
}

/** Whether all pods are of the current template and available, and no old pod is left. */
export function isComplete({ updatedReplicas, replicas, availableReplicas }: Status, wanted: number): boolean {
  return updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
}

function merge(
  old: Condition | undefined,
  condition: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
  moved: boolean,
  now: number,
): Condition {
  if (old && old.status === condition.status && old.reason === condition.reason && old.message === condition.message && !moved) return old;
  const time = formatTime(now);
  return {
    ...condition,
    lastUpdateTime: time,
    lastTransitionTime: old?.status === condition.status ? (old.lastTransitionTime ?? time) : time,
  };
}

function progressOf(deployment: Deployment, status: Status, old: Condition | undefined, moved: boolean, rollout: Rollout) {
  const { replicas, newName, now } = rollout;
  const what = newName === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newName}"`;
  const progressing = (statusText: string, reason: string, message: string) => ({
    type: 'Progressing',
    status: statusText,
    reason,
    message,
  });
  if (isComplete(status, replicas) && newName !== undefined) {
    return progressing('True', 'NewReplicaSetAvailable', `${what} has successfully progressed.`);
  }
  if (moved || old === undefined || old.reason === 'NewReplicaSetAvailable') {
    return progressing('True', 'ReplicaSetUpdated', `${what} is progressing.`);
  }
  const deadline = deadlineOf(deployment, old);
  if (deadline !== undefined && now >= deadline)
    return progressing('False', 'ProgressDeadlineExceeded', `${what} has timed out progressing.`);
  return progressing(old.status, old.reason ?? '', old.message ?? '');
}

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
    (status.availableReplicas ?? 0) > (before.availableReplicas ?? 0) ||
    (status.replicas ?? 0) - (status.updatedReplicas ?? 0) < (before.replicas ?? 0) - (before.updatedReplicas ?? 0);
  const old = find('Progressing');
  const progressing = merge(old, progressOf(deployment, status, old, moved, rollout), moved, now);
  const deadline = deadlineOf(deployment, progressing);
  const isWaiting = progressing.status === 'True' && progressing.reason !== 'NewReplicaSetAvailable';
  return {
    conditions: [merge(find('Available'), available, false, now), progressing],
    ...(isWaiting && deadline !== undefined && { againAt: deadline }),
  };
}
