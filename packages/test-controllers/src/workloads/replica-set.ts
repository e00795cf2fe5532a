import type { Pod } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { Condition, Reconciliation, ReplicaSet, Write, WriteFailure } from './objects.js';
import { controlledBy, earliest, podFromTemplate, statusWrites } from './ownership.js';
import { byWorth, type PodState, podState } from './pod-states.js';

/**
 * Reconciles a ReplicaSet: its number of pods and its status. `pods` may be all of the namespace; orphans are not adopted.
 * Kubernetes documentation, "ReplicaSet".
 */
export function reconcileReplicaSet(input: {
  replicaSet: ReplicaSet;
  pods: readonly Pod[];
  /** The pods of all ReplicaSets of its Deployment, for the order of deletion. Default: its own. */
  related?: readonly Pod[];
  now: number;
}): Reconciliation {
  const { replicaSet, pods, now } = input;
  const own = controlledBy(pods, replicaSet);
  return reconcileReplicas(replicaSet, own.map(podState), { now, related: () => input.related ?? own });
}

/** What {@link reconcileReplicas} needs beside the ReplicaSet and its pods. */
export interface ReplicaContext {
  now: number;
  /** The pods of all ReplicaSets of its Deployment; called if pods are deleted. */
  related: () => readonly Pod[];
  /** A failed write of its pods, which its status reports. */
  failure?: WriteFailure | undefined;
}

/** {@link reconcileReplicaSet} for the states of the pods that it controls. */
export function reconcileReplicas(replicaSet: ReplicaSet, own: readonly PodState[], context: ReplicaContext): Reconciliation {
  const { now, related, failure } = context;
  const { replicas = 1, minReadySeconds = 0, template } = replicaSet.spec;
  const pods = own.filter(({ isActive }) => isActive);
  const waits = own.flatMap(({ replaceableAt: at }) => (at !== undefined && at > now ? [at] : []));
  const surplus = pods.length - replicas;
  const missing = Math.max(0, -surplus - waits.length);
  const writes: Write[] = [];
  if (!replicaSet.metadata.deletionTimestamp) {
    for (let n = 0; n < missing; n++) writes.push({ verb: 'create', object: podFromTemplate(replicaSet, template) });
    const ranked =
      surplus > 0
        ? byWorth(
            pods.map(({ pod }) => pod),
            { now, related: related() },
          )
        : [];
    for (const object of ranked.slice(0, Math.max(0, surplus))) writes.push({ verb: 'delete', object });
  }
  const wanted = Object.entries(template.metadata?.labels ?? {});
  const ready = pods.filter(({ isReady }) => isReady);
  const availableAt = ready.map(({ readySince = Infinity }) => (minReadySeconds === 0 ? 0 : readySince + minReadySeconds * 1_000));
  const later = availableAt.filter((at) => at > now);
  const conditions = conditionsAfter(replicaSet, failure, now);
  const status = {
    replicas: pods.length,
    fullyLabeledReplicas: pods.filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value)).length,
    readyReplicas: ready.length,
    availableReplicas: ready.length - later.length,
    ...(replicaSet.kind === 'ReplicaSet' && { terminatingReplicas: own.filter(({ isTerminating }) => isTerminating).length }),
    observedGeneration: replicaSet.metadata.generation ?? 0,
    ...(conditions.length > 0 && { conditions }),
  };
  return {
    writes: [...writes, ...statusWrites(replicaSet, status)],
    ...earliest([...waits, ...later.filter(Number.isFinite)]),
  };
}

function conditionsAfter({ status }: ReplicaSet, failure: WriteFailure | undefined, now: number): readonly Condition[] {
  const before = status?.conditions ?? [];
  const isFailure = ({ type }: Condition) => type === 'ReplicaFailure';
  if (failure === undefined) return before.filter((each) => !isFailure(each));
  if (before.some(isFailure)) return before;
  return [...before, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: formatTime(now), ...failure }];
}
