import { isPodAvailable, isPodReady, matchesLabels, type Pod } from '@nodeagent/api';
import type { Reconciliation, ReplicaSet, Write } from './objects.js';
import { controlledBy, earliest, podFromTemplate, statusWrites } from './ownership.js';
import { availableAt, byWorth, isActive } from './pod-states.js';

/**
 * A step of a ReplicaSet towards its number of pods, and its status. `pods` may be all of the namespace; orphans are not adopted.
 * Kubernetes documentation, "ReplicaSet".
 */
export function reconcileReplicaSet(input: { replicaSet: ReplicaSet; pods: readonly Pod[]; now: number }): Reconciliation {
  const { replicaSet, now } = input;
  const { replicas = 1, minReadySeconds = 0, template } = replicaSet.spec;
  const pods = controlledBy(input.pods, replicaSet).filter(isActive);
  const missing = replicas - pods.length;
  const writes: Write[] = replicaSet.metadata.deletionTimestamp
    ? []
    : missing > 0
      ? Array.from({ length: missing }, () => ({ verb: 'create', object: podFromTemplate(replicaSet, template) }))
      : byWorth(pods)
          .slice(0, -missing)
          .map((object) => ({ verb: 'delete', object }));
  const status = {
    replicas: pods.length,
    fullyLabeledReplicas: pods.filter(({ metadata }) => matchesLabels(template.metadata?.labels, metadata?.labels)).length,
    readyReplicas: pods.filter(isPodReady).length,
    availableReplicas: pods.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length,
    observedGeneration: replicaSet.metadata.generation ?? 0,
  };
  return {
    writes: [...writes, ...statusWrites(replicaSet, status)],
    ...earliest(pods.map((pod) => availableAt(pod, minReadySeconds, now))),
  };
}
