import type { Deployment, ReplicaSet } from './objects.js';
import { scaledValue } from './ownership.js';

const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
const maxAnnotation = 'deployment.kubernetes.io/max-replicas';

export const wanted = ({ spec }: ReplicaSet | Deployment): number => spec.replicas ?? 1;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Limits of a rollout, in pods. */
export interface Limits {
  maxSurge: number;
  maxUnavailable: number;
}

export const isRolling = ({ spec }: Deployment): boolean => (spec.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';

/** `maxSurge` and `maxUnavailable`; never both 0, or the rollout could not progress. */
export function rolloutLimits(deployment: Deployment): Limits {
  const { rollingUpdate } = deployment.spec.strategy ?? {};
  const replicas = wanted(deployment);
  if (!isRolling(deployment)) return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaledValue(rollingUpdate?.maxSurge ?? '25%', replicas, Math.ceil);
  const maxUnavailable = scaledValue(rollingUpdate?.maxUnavailable ?? '25%', replicas, Math.floor);
  return { maxSurge, maxUnavailable: Math.min(replicas, maxSurge + maxUnavailable === 0 ? 1 : maxUnavailable) };
}

/** The annotations of a ReplicaSet with the size of its Deployment, by which a later scaling is recognized. */
export function sizeAnnotations(deployment: Deployment): Record<string, string> {
  const desired = wanted(deployment);
  return { [desiredAnnotation]: String(desired), [maxAnnotation]: String(desired + rolloutLimits(deployment).maxSurge) };
}

/** The ReplicaSet with another size; the same object if it has it already. */
export function resized(replicaSet: ReplicaSet, replicas: number, deployment: Deployment): ReplicaSet {
  if (wanted(replicaSet) === replicas) return replicaSet;
  return { ...withSizeAnnotations(replicaSet, deployment), spec: { ...replicaSet.spec, replicas } };
}

function withSizeAnnotations(replicaSet: ReplicaSet, deployment: Deployment): ReplicaSet {
  const annotations = sizeAnnotations(deployment);
  const { annotations: before = {} } = replicaSet.metadata;
  if (Object.entries(annotations).every(([key, value]) => before[key] === value)) return replicaSet;
  return { ...replicaSet, metadata: { ...replicaSet.metadata, annotations: { ...before, ...annotations } } };
}

/** Whether the Deployment was scaled since a ReplicaSet with pods was. */
export function isScaled(deployment: Deployment, owned: readonly ReplicaSet[]): boolean {
  const desired = String(wanted(deployment));
  return owned.some((each) => wanted(each) > 0 && (each.metadata.annotations?.[desiredAnnotation] ?? desired) !== desired);
}

/**
 * The ReplicaSets of a Deployment that is scaled in a rollout or while it is paused: the only one with pods gets all replicas, several get
 * shares in proportion to their sizes. `owned` are in the order of their revisions. Kubernetes documentation, "Deployments: Proportional scaling".
 */
export function scaleProportionally(deployment: Deployment, current: ReplicaSet | undefined, owned: readonly ReplicaSet[]): ReplicaSet[] {
  const replicas = wanted(deployment);
  const active = owned.filter((each) => wanted(each) > 0);
  const only = active.length > 1 ? undefined : (active[0] ?? current ?? owned.at(-1));
  if (only) return changed([only], [withSizeAnnotations(resized(only, replicas, deployment), deployment)]);
  if (active.length === 0) return [];
  if (current && isSaturated(deployment, current)) {
    const old = active.filter((each) => each !== current);
    return changed(
      old,
      old.map((each) => resized(each, 0, deployment)),
    );
  }
  if (!isRolling(deployment)) return [];
  const allowed = replicas > 0 ? replicas + rolloutLimits(deployment).maxSurge : 0;
  const toAdd = allowed - sum(active.map(wanted));
  const ranked = active.toSorted((a, b) => wanted(b) - wanted(a) || (owned.indexOf(b) - owned.indexOf(a)) * Math.sign(toAdd));
  const shares: number[] = [];
  for (const each of ranked) {
    const share = toAdd === 0 ? 0 : shareOf(each, deployment, allowed);
    const left = toAdd - sum(shares);
    shares.push(toAdd > 0 ? Math.min(share, left) : Math.max(share, left));
  }
  const leftover = toAdd - sum(shares);
  const sizes = ranked.map((each, i) => Math.max(0, wanted(each) + (shares[i] ?? 0) + (i === 0 ? leftover : 0)));
  return changed(
    ranked,
    ranked.map((each, i) => withSizeAnnotations(resized(each, sizes[i] ?? 0, deployment), deployment)),
  );
}

const changed = (before: readonly ReplicaSet[], after: readonly ReplicaSet[]) => after.filter((each, i) => each !== before[i]);

/** Whether the current ReplicaSet has all pods of the Deployment, and all are available. */
function isSaturated(deployment: Deployment, current: ReplicaSet): boolean {
  const replicas = wanted(deployment);
  return (
    wanted(current) === replicas &&
    current.metadata.annotations?.[desiredAnnotation] === String(replicas) &&
    (current.status?.availableReplicas ?? 0) === replicas
  );
}

/** How much a ReplicaSet grows or shrinks with its Deployment. */
function shareOf(replicaSet: ReplicaSet, deployment: Deployment, allowed: number): number {
  const size = wanted(replicaSet);
  if (wanted(deployment) === 0) return -size;
  const before = Number(replicaSet.metadata.annotations?.[maxAnnotation]) || (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : Math.round((size * allowed) / before) - size;
}
