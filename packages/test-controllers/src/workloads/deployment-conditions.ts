import { formatTime, parseTime } from '@nodeagent/api/helpers';
import type { Condition, Deployment } from './objects.js';

type Status = NonNullable<Deployment['status']>;
type Content = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Progress of a rollout. */
export interface Rollout {
  replicas: number;
  /** Maximum number of unavailable pods. */
  maxUnavailable: number;
  /** The ReplicaSet of the current template; absent before it is created. */
  newName?: string;
  /** The condition ReplicaFailure of a ReplicaSet. */
  failure?: Condition;
  /** Whether this step does not report the progress: the Deployment is paused or was scaled. */
  isScaling: boolean;
  now: number;
}

/** Whether all pods are of the current template and available, and no old pod is left. */
export function isComplete({ updatedReplicas, replicas, availableReplicas }: Status, wanted: number): boolean {
  return updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
}

const find = (conditions: readonly Condition[] | undefined, type: string) => conditions?.find((each) => each.type === type);
const without = (conditions: readonly Condition[], type: string) => conditions.filter((each) => each.type !== type);

/** The conditions with one at the end. Its transition time is kept with its status. */
function replaced(conditions: readonly Condition[], content: Content, now: number): Condition[] {
  const old = find(conditions, content.type);
  const time = formatTime(now);
  const lastTransitionTime = old?.status === content.status ? (old.lastTransitionTime ?? time) : time;
  return [...without(conditions, content.type), { ...content, lastUpdateTime: time, lastTransitionTime }];
}

/** {@link replaced}, unless the condition has this status and reason already: then its message stays too. */
function merged(conditions: readonly Condition[], content: Content, now: number): readonly Condition[] {
  const old = find(conditions, content.type);
  return old?.status === content.status && old.reason === content.reason ? conditions : replaced(conditions, content, now);
}

const progressing = (status: string, reason: string, message: string): Content => ({ type: 'Progressing', status, reason, message });

/** A deadline that never passes. */
const noDeadline = 2 ** 31 - 1;
const hasDeadline = ({ spec }: Deployment): boolean => (spec.progressDeadlineSeconds ?? 600) < noDeadline;

/** The condition Progressing of a ReplicaSet that is created, or of the first one that is found. */
export function replicaSetConditions(deployment: Deployment, what: 'Created' | 'Found', name: string, now: number): readonly Condition[] {
  const before = deployment.status?.conditions ?? [];
  if (!hasDeadline(deployment) || (what === 'Found' && find(before, 'Progressing'))) return before;
  const reason = what === 'Created' ? 'NewReplicaSetCreated' : 'FoundNewReplicaSet';
  return merged(before, progressing('True', reason, `${what} new replica set "${name}"`), now);
}

/** The conditions of a Deployment that has been paused or resumed; the same ones otherwise. */
export function pauseConditions(deployment: Deployment, now: number): readonly Condition[] | undefined {
  const { spec, status } = deployment;
  const reason = find(status?.conditions, 'Progressing')?.reason;
  const isKnown = reason === 'DeploymentPaused';
  if (!hasDeadline(deployment) || reason === 'ProgressDeadlineExceeded' || Boolean(spec.paused) === isKnown) return status?.conditions;
  const content = spec.paused
    ? progressing('Unknown', 'DeploymentPaused', 'Deployment is paused')
    : progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  return merged(status?.conditions ?? [], content, now);
}

/** The conditions with the progress of the rollout. */
function withProgress(deployment: Deployment, status: Status, conditions: readonly Condition[], rollout: Rollout): readonly Condition[] {
  const { replicas, newName, isScaling, now } = rollout;
  if (isScaling) return conditions;
  if (!hasDeadline(deployment)) return without(conditions, 'Progressing');
  const old = find(conditions, 'Progressing');
  if (old?.reason === 'NewReplicaSetAvailable' && status.replicas === status.updatedReplicas) return conditions;
  const what = newName === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newName}"`;
  if (isComplete(status, replicas))
    return merged(conditions, progressing('True', 'NewReplicaSetAvailable', `${what} has successfully progressed.`), now);
  if (hasMoved(deployment.status ?? {}, status))
    return replaced(conditions, progressing('True', 'ReplicaSetUpdated', `${what} is progressing.`), now);
  const deadline = deadlineOf(deployment, old);
  if (deadline === undefined || old?.reason === 'NewReplicaSetAvailable' || now <= deadline) return conditions;
  return merged(conditions, progressing('False', 'ProgressDeadlineExceeded', `${what} has timed out progressing.`), now);
}

/** Whether more pods are updated, ready or available, or fewer are old. */
const hasMoved = (before: Status, after: Status): boolean =>
  (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
  (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
  (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0) ||
  oldReplicas(after) < oldReplicas(before);

const oldReplicas = ({ replicas = 0, updatedReplicas = 0 }: Status): number => replicas - updatedReplicas;

/** When a rollout without progress counts as failed. */
function deadlineOf({ spec }: Deployment, condition: Condition | undefined): number | undefined {
  const since = parseTime(condition?.lastUpdateTime);
  return since === undefined ? undefined : since + (spec.progressDeadlineSeconds ?? 600) * 1_000;
}

/** A deadline is checked this long after it, since the time of a condition has no milliseconds. */
const deadlineMarginMs = 1_000;

/**
 * The conditions after the counts have become those of `status`, the one that changed last at the end, and when the rollout's deadline is
 * checked. Kubernetes documentation, "Deployments: Deployment status".
 */
export function deploymentConditions(
  deployment: Deployment,
  status: Status,
  rollout: Rollout,
): { conditions: readonly Condition[]; againAt?: number } {
  const { replicas, maxUnavailable, failure, isScaling, now } = rollout;
  const isAvailable = (status.availableReplicas ?? 0) >= replicas - maxUnavailable;
  const availability: Content = {
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isAvailable ? 'has' : 'does not have'} minimum availability.`,
  };
  const available = merged(deployment.status?.conditions ?? [], availability, now);
  const progressed = withProgress(deployment, status, available, rollout);
  const content = failure && { type: failure.type, status: failure.status, reason: failure.reason ?? '', message: failure.message ?? '' };
  const kept = isScaling ? progressed : without(progressed, 'ReplicaFailure');
  const conditions = content && !isScaling ? merged(progressed, content, now) : kept;
  const progress = find(conditions, 'Progressing');
  const deadline = deadlineOf(deployment, progress);
  const isWaiting = progress && !['NewReplicaSetAvailable', 'ProgressDeadlineExceeded'].includes(progress.reason ?? '');
  return {
    conditions,
    ...(isWaiting && !deployment.spec.paused && deadline !== undefined && { againAt: deadline + deadlineMarginMs }),
  };
}
