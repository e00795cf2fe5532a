import { equalJson } from '@nodeagent/api/helpers';
import { deploymentConditions, isComplete } from './deployment-conditions.js';
import type { Deployment, Reconciliation, ReplicaSet, Write } from './objects.js';
import { controlledBy, controllerReference, scaledValue, statusWrites } from './ownership.js';
import { hashLabel, templateHash, withoutHash } from './template-hash.js';

const revisionAnnotation = 'deployment.kubernetes.io/revision';

const wanted = ({ spec }: ReplicaSet | Deployment): number => spec.replicas ?? 1;
const available = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;
const revisionOf = ({ metadata }: ReplicaSet): number => Number(metadata.annotations?.[revisionAnnotation] ?? 0);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * Reconciles a Deployment: the ReplicaSet of the current template, the replicas of it and of the old ones, and the status that `kubectl rollout
 * status` reads. `replicaSets` may be all of the namespace. Pods in a rollout that is scaled go to the new ReplicaSet; a real controller
 * distributes them proportionally. Kubernetes documentation, "Deployments".
 */
export function reconcileDeployment(input: { deployment: Deployment; replicaSets: readonly ReplicaSet[]; now: number }): Reconciliation {
  const { deployment, now } = input;
  const owned = controlledBy(input.replicaSets, deployment).sort((a, b) => revisionOf(a) - revisionOf(b));
  const current = owned.find(({ spec }) => equalJson(withoutHash(spec.template), withoutHash(deployment.spec.template)));
  const old = owned.filter((replicaSet) => replicaSet !== current);
  const limits = rolloutLimits(deployment);
  const { status, againAt } = statusOf(deployment, current, owned, limits.maxUnavailable, now);
  const again = againAt !== undefined && { againAt };
  if (deployment.metadata.deletionTimestamp) return { writes: statusWrites(deployment, status) };

  const revision = String(current ? Math.max(revisionOf(current), nextRevision(old)) : nextRevision(old));
  const history = isComplete(status, wanted(deployment)) ? historyWrites(deployment, old) : [];
  const writes = [...rolloutWrites(deployment, current, old, limits, revision), ...history];
  const annotated = withRevision(deployment, revision);
  if (current && annotated !== deployment) return { writes: [...writes, { verb: 'update', object: annotated }], ...again };
  return { writes: [...writes, ...statusWrites(deployment, status)], ...again };
}

interface Limits {
  maxSurge: number;
  maxUnavailable: number;
}

/** `maxSurge` and `maxUnavailable`; never both 0, or the rollout could not progress. */
function rolloutLimits(deployment: Deployment): Limits {
  const { type = 'RollingUpdate', rollingUpdate } = deployment.spec.strategy ?? {};
  const replicas = wanted(deployment);
  if (type !== 'RollingUpdate') return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaledValue(rollingUpdate?.maxSurge ?? '25%', replicas, Math.ceil);
  const maxUnavailable = scaledValue(rollingUpdate?.maxUnavailable ?? '25%', replicas, Math.floor);
  return { maxSurge, maxUnavailable: Math.min(replicas, maxSurge + maxUnavailable === 0 ? 1 : maxUnavailable) };
}

/** The desired replicas of the ReplicaSets. The new one scales up first; when it cannot, the old ones scale down. */
function rolloutWrites(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  limits: Limits,
  revision: string,
): Write[] {
  const replicas = wanted(deployment);
  if (deployment.spec.paused) {
    const used = [...old, ...(current ? [current] : [])].filter((replicaSet) => wanted(replicaSet) > 0);
    return used.length === 1 ? used.flatMap((replicaSet) => scaleWrites(replicaSet, replicas)) : [];
  }
  const isRolling = (deployment.spec.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
  const present = current ? wanted(current) : 0;
  const room = isRolling ? replicas + limits.maxSurge - sum([...old.map(wanted), present]) : isScaledDown(old) ? replicas : 0;
  const target = Math.min(replicas, present + Math.max(0, room));
  if (!current) {
    const created: Write = { verb: 'create', object: newReplicaSet(deployment, target, revision) };
    return [created, ...(isRolling ? [] : old.flatMap((replicaSet) => scaleWrites(replicaSet, 0)))];
  }
  const grown = updateWrites(current, scaled(withRevision(current, revision), target));
  if (target !== present) return grown;
  return [...grown, ...(isRolling ? shrink(old, current, replicas, limits) : old.flatMap((replicaSet) => scaleWrites(replicaSet, 0)))];
}

const isScaledDown = (old: readonly ReplicaSet[]): boolean => old.every((set) => wanted(set) === 0 && (set.status?.replicas ?? 0) === 0);

const nextRevision = (old: readonly ReplicaSet[]): number => Math.max(0, ...old.map(revisionOf)) + 1;

function scaled(replicaSet: ReplicaSet, replicas: number): ReplicaSet {
  return wanted(replicaSet) === replicas ? replicaSet : { ...replicaSet, spec: { ...replicaSet.spec, replicas } };
}

/** The object with its revision annotation, which `kubectl rollout history` shows. */
function withRevision<T extends ReplicaSet | Deployment>(object: T, revision: string): T {
  const { annotations } = object.metadata;
  if (annotations?.[revisionAnnotation] === revision) return object;
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [revisionAnnotation]: revision } } };
}

const updateWrites = (before: ReplicaSet, after: ReplicaSet): Write[] => (before === after ? [] : [{ verb: 'update', object: after }]);
const scaleWrites = (replicaSet: ReplicaSet, replicas: number): Write[] => updateWrites(replicaSet, scaled(replicaSet, replicas));

/** Scales down the old ReplicaSets while enough pods are available: unavailable pods first. */
function shrink(old: readonly ReplicaSet[], current: ReplicaSet, replicas: number, { maxUnavailable }: Limits): Write[] {
  const all = sum([...old, current].map(wanted));
  const least = replicas - maxUnavailable;
  let removable = Math.max(0, all - least - Math.max(0, wanted(current) - available(current)));
  let spare = Math.max(0, sum([...old, current].map(available)) - least);
  return old.flatMap((replicaSet) => {
    const useless = Math.min(removable, Math.max(0, wanted(replicaSet) - available(replicaSet)));
    const useful = Math.min(removable - useless, spare, wanted(replicaSet) - useless);
    removable -= useless + useful;
    spare -= useful;
    return scaleWrites(replicaSet, wanted(replicaSet) - useless - useful);
  });
}

function newReplicaSet(deployment: Deployment, replicas: number, revision: string): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = templateHash(template);
  const { name, namespace } = deployment.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace && { namespace }),
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      annotations: { [revisionAnnotation]: revision },
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
  maxUnavailable: number,
  now: number,
) {
  const total = (count: 'replicas' | 'readyReplicas' | 'availableReplicas') => sum(owned.map(({ status }) => status?.[count] ?? 0));
  const replicas = wanted(deployment);
  const counts = {
    replicas: total('replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total('readyReplicas'),
    availableReplicas: total('availableReplicas'),
    unavailableReplicas: Math.max(0, Math.max(replicas, total('replicas')) - total('availableReplicas')),
    observedGeneration: deployment.metadata.generation ?? 0,
  };
  const newName = current?.metadata.name;
  const { conditions, againAt } = deploymentConditions(deployment, counts, { replicas, maxUnavailable, now, ...(newName && { newName }) });
  return { status: { ...counts, conditions }, againAt };
}
