import { equalJson } from '@nodeagent/api/helpers';
import { deploymentConditions, isComplete, pauseConditions, replicaSetConditions } from './deployment-conditions.js';
import {
  isRolling,
  isScaled,
  type Limits,
  resized,
  rolloutLimits,
  scaleProportionally,
  sizeAnnotations,
  wanted,
} from './deployment-scale.js';
import type { Condition, Deployment, Reconciliation, ReplicaSet, Write } from './objects.js';
import { controlledBy, controllerReference, statusWrites } from './ownership.js';
import { hashLabel, templateHash, withoutHash } from './template-hash.js';

const revisionAnnotation = 'deployment.kubernetes.io/revision';
const revisionHistoryAnnotation = 'deployment.kubernetes.io/revision-history';
/** In characters. */
const maxRevisionHistory = 2_000;

const available = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;
/** A signed 64-bit integer. */
function revisionOf({ metadata }: ReplicaSet): bigint {
  const text = metadata.annotations?.[revisionAnnotation] ?? '';
  return /^\d+$/.test(text) ? BigInt(text) : 0n;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * Reconciles a Deployment: the ReplicaSet of the current template, the replicas of it and of the old ones, and the status that `kubectl rollout
 * status` reads. `replicaSets` may be all of the namespace. Kubernetes documentation, "Deployments".
 */
export function reconcileDeployment(input: { deployment: Deployment; replicaSets: readonly ReplicaSet[]; now: number }): Reconciliation {
  const { deployment, replicaSets, now } = input;
  const owned = controlledBy(replicaSets, deployment).sort((a, b) => (revisionOf(a) < revisionOf(b) ? -1 : 1));
  const current = owned.find(({ spec }) => equalJson(withoutHash(spec.template), withoutHash(deployment.spec.template)));
  const old = owned.filter((replicaSet) => replicaSet !== current);
  const isScaling = Boolean(deployment.spec.paused) || isScaled(deployment, owned);
  const { status, againAt } = statusOf(deployment, current, owned, { isScaling, now });
  if (deployment.metadata.deletionTimestamp) return { writes: statusWrites(deployment, status) };
  const again = againAt !== undefined && { againAt };
  const newest = lastRevision(old) + 1n;
  const revision = String(current && revisionOf(current) > newest ? revisionOf(current) : newest);
  const creation =
    !current && !isScaling && mayCreate(deployment, old)
      ? creationWrites(deployment, owned, freeHash(deployment, replicaSets), { revision, now })
      : [];
  const conditions = pauseConditions(deployment, now);
  // A ReplicaSet that is created as the Deployment is resumed has no condition.
  if (conditions !== deployment.status?.conditions)
    return { writes: [withConditions(deployment, conditions ?? []), ...creation.slice(0, 1)], ...again };
  const first = current ? revisionWrite(deployment, current, revision, now) : undefined;
  if (first) return { writes: [first], ...again };
  if (creation.length > 0) return { writes: creation, ...again };
  const isDone = deployment.spec.paused || isComplete(deployment.status ?? {}, wanted(deployment));
  const scaled = isScaling ? updates(scaleProportionally(deployment, current, owned)) : rolloutWrites(deployment, current, old);
  return { writes: [...scaled, ...(isDone ? historyWrites(deployment, old) : []), ...statusWrites(deployment, status)], ...again };
}

const updates = (objects: readonly ReplicaSet[]): Write[] => objects.map((object) => ({ verb: 'update', object }));

const withConditions = (deployment: Deployment, conditions: readonly Condition[]): Write => ({
  verb: 'updateStatus',
  object: { ...deployment, status: { ...deployment.status, conditions } },
});

/** The next write of the revision: that of the current ReplicaSet, then that of the Deployment. */
function revisionWrite(deployment: Deployment, current: ReplicaSet, revision: string, now: number): Write | undefined {
  const annotated = withDeploymentFields(current, deployment, revision);
  if (annotated !== current) return { verb: 'update', object: annotated };
  const conditions = replicaSetConditions(deployment, 'Found', current.metadata.name ?? '', now);
  const revised = withAnnotations(deployment, { [revisionAnnotation]: revision });
  return revised !== deployment || conditions.length > (deployment.status?.conditions ?? []).length
    ? withConditions(revised, conditions)
    : undefined;
}

/** With the strategy Recreate the old pods must have terminated. */
const mayCreate = (deployment: Deployment, old: readonly ReplicaSet[]): boolean => isRolling(deployment) || isScaledDown(old);

function creationWrites(
  deployment: Deployment,
  owned: readonly ReplicaSet[],
  { hash, collisionCount }: NewHash,
  { revision, now }: { revision: string; now: number },
): Write[] {
  const replicaSet = newReplicaSet(deployment, firstReplicas(deployment, owned), { hash, revision });
  const revised = withAnnotations(deployment, { [revisionAnnotation]: revision });
  const status = { ...deployment.status, ...(collisionCount > 0 && { collisionCount }) };
  const conditions = replicaSetConditions(deployment, 'Created', replicaSet.metadata.name ?? '', now);
  return [{ verb: 'create', object: replicaSet }, withConditions({ ...revised, status }, conditions)];
}

/** The replicas of a new ReplicaSet: in a rolling update as many as the surge leaves room for. */
function firstReplicas(deployment: Deployment, owned: readonly ReplicaSet[]): number {
  const room = wanted(deployment) + rolloutLimits(deployment).maxSurge - sum(owned.map(wanted));
  return isRolling(deployment) ? Math.min(wanted(deployment), Math.max(0, room)) : wanted(deployment);
}

/** The hash of a new ReplicaSet, and its number of collisions with names of others. */
interface NewHash {
  hash: string;
  collisionCount: number;
}

function freeHash({ status, metadata, spec }: Deployment, all: readonly ReplicaSet[]): NewHash {
  const names = new Set(all.map((each) => each.metadata.name));
  for (let collisionCount = status?.collisionCount ?? 0; ; collisionCount++) {
    const hash = templateHash(spec.template, collisionCount);
    if (!names.has(`${metadata.name}-${hash}`)) return { hash, collisionCount };
  }
}

/** The desired replicas of the ReplicaSets. The new one scales up first; when it cannot, the old ones scale down. */
function rolloutWrites(deployment: Deployment, current: ReplicaSet | undefined, old: readonly ReplicaSet[]): Write[] {
  const replicas = wanted(deployment);
  if (!isRolling(deployment)) {
    const shrunk = old.flatMap((replicaSet) => scaleWrites(replicaSet, 0, deployment));
    if (shrunk.length > 0 || !isScaledDown(old)) return shrunk;
  }
  if (!current) return [];
  const limits = rolloutLimits(deployment);
  const room = isRolling(deployment) ? replicas + limits.maxSurge - sum([...old, current].map(wanted)) : replicas;
  const grown = scaleWrites(current, Math.min(replicas, wanted(current) + Math.max(0, room)), deployment);
  return grown.length > 0 || !isRolling(deployment) ? grown : shrink(old, current, deployment, limits);
}

const isScaledDown = (old: readonly ReplicaSet[]): boolean =>
  old.every((set) => wanted(set) === 0 && (set.status?.replicas ?? 0) === 0 && (set.status?.terminatingReplicas ?? 0) === 0);

/** `old` is in the order of revisions. */
const lastRevision = (old: readonly ReplicaSet[]): bigint => (old.length > 0 ? revisionOf(old[old.length - 1] as ReplicaSet) : 0n);

/** The object with these annotations; the same object if it has them already. */
function withAnnotations<T extends ReplicaSet | Deployment>(object: T, annotations: Readonly<Record<string, string>>): T {
  const before = object.metadata.annotations ?? {};
  if (Object.entries(annotations).every(([key, value]) => before[key] === value)) return object;
  return { ...object, metadata: { ...object.metadata, annotations: { ...before, ...annotations } } };
}

/** The current ReplicaSet with its revision, which `kubectl rollout history` shows, and what it takes from the Deployment. */
function withDeploymentFields(current: ReplicaSet, deployment: Deployment, revision: string): ReplicaSet {
  const { minReadySeconds = 0 } = deployment.spec;
  const earlier = current.metadata.annotations?.[revisionAnnotation];
  const history = earlier === undefined || earlier === revision ? {} : withRevision(current, earlier);
  const annotated = withAnnotations(current, { ...inherited(deployment), ...history, [revisionAnnotation]: revision });
  return (current.spec.minReadySeconds ?? 0) === minReadySeconds
    ? annotated
    : { ...annotated, spec: { ...annotated.spec, minReadySeconds } };
}

/** The earlier revisions of a ReplicaSet that becomes the current one again. */
function withRevision({ metadata }: ReplicaSet, earlier: string): Record<string, string> {
  const before = metadata.annotations?.[revisionHistoryAnnotation];
  const revisions = before ? `${before},${earlier}`.split(',') : [earlier];
  while (revisions.join().length > maxRevisionHistory && revisions.length > 1) revisions.shift();
  return { [revisionHistoryAnnotation]: revisions.join() };
}

/** The annotations of the Deployment that its ReplicaSets get too. */
function inherited({ metadata }: Deployment): Record<string, string> {
  const own = (key: string) => key.startsWith('deployment.kubernetes.io/') || key === 'kubectl.kubernetes.io/last-applied-configuration';
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !own(key)));
}

function scaleWrites(replicaSet: ReplicaSet, replicas: number, deployment: Deployment): Write[] {
  const object = resized(replicaSet, replicas, deployment);
  return object === replicaSet ? [] : [{ verb: 'update', object }];
}

/** Scales down the old ReplicaSets while enough pods are available: unavailable pods first. */
function shrink(old: readonly ReplicaSet[], current: ReplicaSet, deployment: Deployment, { maxUnavailable }: Limits): Write[] {
  const all = sum([...old, current].map(wanted));
  const least = wanted(deployment) - maxUnavailable;
  let removable = Math.max(0, all - least - Math.max(0, wanted(current) - available(current)));
  let spare = Math.max(0, sum([...old, current].map(available)) - least);
  return old.flatMap((replicaSet) => {
    const useless = Math.min(removable, Math.max(0, wanted(replicaSet) - available(replicaSet)));
    const useful = Math.min(removable - useless, spare, wanted(replicaSet) - useless);
    removable -= useless + useful;
    spare -= useful;
    return scaleWrites(replicaSet, wanted(replicaSet) - useless - useful, deployment);
  });
}

function newReplicaSet(deployment: Deployment, replicas: number, { hash, revision }: { hash: string; revision: string }): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec;
  const { name, namespace } = deployment.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace && { namespace }),
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      annotations: { ...inherited(deployment), [revisionAnnotation]: revision, ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels: { ...template.metadata?.labels, [hashLabel]: hash } } },
    },
  };
}

const isObserved = ({ metadata, status }: ReplicaSet) => (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);

/** The oldest ReplicaSets beyond `revisionHistoryLimit` that have no pods. */
function historyWrites({ spec }: Deployment, old: readonly ReplicaSet[]): Write[] {
  const kept = old.filter(({ metadata }) => !metadata.deletionTimestamp);
  const surplus = kept.slice(0, Math.max(0, kept.length - (spec.revisionHistoryLimit ?? 10)));
  const isUnused = (each: ReplicaSet) => wanted(each) === 0 && (each.status?.replicas ?? 0) === 0 && isObserved(each);
  return surplus.filter(isUnused).map((object) => ({ verb: 'delete', object }));
}

function statusOf(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  owned: readonly ReplicaSet[],
  { isScaling, now }: { isScaling: boolean; now: number },
) {
  const total = (count: 'replicas' | 'readyReplicas' | 'availableReplicas' | 'terminatingReplicas') =>
    sum(owned.map(({ status }) => status?.[count] ?? 0));
  const replicas = wanted(deployment);
  const { maxUnavailable } = rolloutLimits(deployment);
  const { collisionCount } = deployment.status ?? {};
  const counts = {
    replicas: total('replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total('readyReplicas'),
    availableReplicas: total('availableReplicas'),
    unavailableReplicas: Math.max(0, sum(owned.map(wanted)) - total('availableReplicas')),
    terminatingReplicas: total('terminatingReplicas'),
    observedGeneration: deployment.metadata.generation ?? 0,
    ...(collisionCount && { collisionCount }),
  };
  const newName = current?.metadata.name;
  const failures = [...(current ? [current] : []), ...owned].flatMap(({ status }) => status?.conditions ?? []);
  const failure = failures.find(({ type }) => type === 'ReplicaFailure');
  const rollout = { replicas, maxUnavailable, isScaling, now, ...(newName && { newName }), ...(failure && { failure }) };
  const { conditions, againAt } = deploymentConditions(deployment, counts, rollout);
  return { status: { ...counts, conditions }, againAt };
}
