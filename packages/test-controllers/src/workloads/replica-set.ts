import type { Pod } from '@nodeagent/api';
import { isPodAvailable, isPodReady, matchesLabels } from '@nodeagent/api/helpers';
import type { Reconciliation, ReplicaSet, Write } from './objects.js';
import { controlledBy, earliest, podFromTemplate, statusWrites } from './ownership.js';
import { availableAt, byWorth, isActive, replaceableAt } from './pod-states.js';

/**
 * Reconciles a ReplicaSet: its number of pods and its status. `pods` may be all of the namespace; orphans are not adopted.
 * Kubernetes documentation, "ReplicaSet".
 */
export function reconcileReplicaSet(input: { replicaSet: ReplicaSet; pods: readonly Pod[]; now: number }): Reconciliation {
  const { replicaSet, now } = input;
  const { replicas = 1, minReadySeconds = 0, template } = replicaSet.spec;
  const own = controlledBy(input.pods, replicaSet);
  const pods = own.filter(isActive);
  const waits = own.map((pod) => replaceableAt(pod)).filter((at) => at !== undefined && at > now);
  const surplus = pods.length - replicas;
  const missing = Math.max(0, -surplus - waits.length);
  const writes: Write[] = [];
  if (!replicaSet.metadata.deletionTimestamp) {
    for (let n = 0; n < missing; n++) writes.push({ verb: 'create', object: podFromTemplate(replicaSet, template) });
    if (surplus > 0) for (const object of byWorth(pods).slice(0, surplus)) writes.push({ verb: 'delete', object });
  }
  const status = {
    replicas: pods.length,
    fullyLabeledReplicas: pods.filter(({ metadata }) => matchesLabels(template.metadata?.labels, metadata?.labels)).length,
    readyReplicas: pods.filter(isPodReady).length,
    availableReplicas: pods.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length,
    observedGeneration: replicaSet.metadata.generation ?? 0,
  };
  return {
    writes: [...writes, ...statusWrites(replicaSet, status)],
    ...earliest([...waits, ...pods.map((pod) => availableAt(pod, minReadySeconds, now))]),
  };
}
