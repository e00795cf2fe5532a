import { equalJson } from '@nodeagent/api/helpers';
import { deploymentConditions, isComplete } from './deployment-conditions.js';
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
import type { Deployment, Reconciliation, ReplicaSet, Write } from './objects.js';
import { controlledBy, controllerReference, statusWrites } from './ownership.js';
import { hashLabel, templateHash, withoutHash } from './template-hash.js';

const revisionAnnotation = 'deployment.kubernetes.io/revision';

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
  const next = current ? undefined : freeHash(deployment, replicaSets);
  const { status, againAt } = statusOf(deployment, current, owned, { next, now });
  const again = againAt !== undefined && { againAt };
  if (deployment.metadata.deletionTimestamp) return { writes: statusWrites(deployment, status) };

  const newest = lastRevision(old) + 1n;
  const revision = String(current && revisionOf(current) > newest ? revisionOf(current) : newest);
  const annotated = current && withDeploymentFields(current, deployment, revision);
  if (annotated && annotated !== current)
    return { writes: [{ verb: 'update', object: annotated }, ...statusWrites(deployment, status)], ...again };
  const isDone = deployment.spec.paused || isComplete(status, wanted(deployment));
  const writes = [
    ...replicaWrites(deployment, current, old, { hash: next?.hash ?? '', revision }),
    ...(isDone ? historyWrites(deployment, old) : []),
  ];
  const revised = withAnnotations(deployment, { [revisionAnnotation]: revision });
  if (current && revised !== deployment) return { writes: [...writes, { verb: 'update', object: revised }], ...again };
  return { writes: [...writes, ...statusWrites(deployment, status)], ...again };
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

/** The writes of ReplicaSets: of a scaling, of a paused Deployment, or of the next step of a rollout. */
function replicaWrites(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  next: { hash: string; revision: string },
): Write[] {
  const owned = [...old, ...(current ? [current] : [])];
  if (deployment.spec.paused || isScaled(deployment, owned)) {
    return scaleProportionally(deployment, current, owned).map((object) => ({ verb: 'update', object }));
  }
  return rolloutWrites(deployment, current, old, next);
}

/** The desired replicas of the ReplicaSets. The new one scales up first; when it cannot, the old ones scale down. */
function rolloutWrites(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  { hash, revision }: { hash: string; revision: string },
): Write[] {
  const replicas = wanted(deployment);
  const limits = rolloutLimits(deployment);
  const present = current ? wanted(current) : 0;
  if (!isRolling(deployment)) {
    const shrunk = old.flatMap((replicaSet) => scaleWrites(replicaSet, 0, deployment));
    if (shrunk.length > 0 || !isScaledDown(old)) return shrunk;
  }
  const room = isRolling(deployment) ? replicas + limits.maxSurge - sum([...old.map(wanted), present]) : replicas;
  const target = Math.min(replicas, present + Math.max(0, room));
  if (!current) return [{ verb: 'create', object: newReplicaSet(deployment, target, { hash, revision }) }];
  const grown = scaleWrites(current, target, deployment);
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
  const annotated = withAnnotations(current, { ...inherited(deployment), [revisionAnnotation]: revision });
  return (current.spec.minReadySeconds ?? 0) === minReadySeconds
    ? annotated
    : { ...annotated, spec: { ...annotated.spec, minReadySeconds } };
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

/** Old ReplicaSets without pods beyond `revisionHistoryLimit`. */
function historyWrites({ spec }: Deployment, old: readonly ReplicaSet[]): Write[] {
  const unused = old.filter((replicaSet) => wanted(replicaSet) === 0 && (replicaSet.status?.replicas ?? 0) === 0);
  return unused.slice(0, Math.max(0, unused.length - (spec.revisionHistoryLimit ?? 10))).map((object) => ({ verb: 'delete', object }));
}

function statusOf(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  owned: readonly ReplicaSet[],
  { next, now }: { next: NewHash | undefined; now: number },
) {
  const total = (count: 'replicas' | 'readyReplicas' | 'availableReplicas' | 'terminatingReplicas') =>
    sum(owned.map(({ status }) => status?.[count] ?? 0));
  const replicas = wanted(deployment);
  const { maxUnavailable } = rolloutLimits(deployment);
  const collisionCount = next?.collisionCount ?? deployment.status?.collisionCount ?? 0;
  const counts = {
    replicas: total('replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total('readyReplicas'),
    availableReplicas: total('availableReplicas'),
    unavailableReplicas: Math.max(0, sum(owned.map(wanted)) - total('availableReplicas')),
    terminatingReplicas: total('terminatingReplicas'),
    observedGeneration: deployment.metadata.generation ?? 0,
    ...(collisionCount > 0 && { collisionCount }),
  };
  const newName = current?.metadata.name;
  const failures = [...(current ? [current] : []), ...owned].flatMap(({ status }) => status?.conditions ?? []);
  const failure = failures.find(({ type }) => type === 'ReplicaFailure');
  const rollout = {
    replicas,
    maxUnavailable,
    now,
    ...(newName && { newName }),
    ...(next && { created: `${deployment.metadata.name}-${next.hash}` }),
    ...(failure && { failure }),
  };
  const { conditions, againAt } = deploymentConditions(deployment, counts, rollout);
  return { status: { ...counts, conditions }, againAt };
}
