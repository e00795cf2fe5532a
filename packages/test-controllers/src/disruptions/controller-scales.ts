import type { OwnerReference, Pod } from '@nodeagent/api';
import type { StoredObject } from '../controller-objects.js';
import { controllerOf } from '../workloads/ownership.js';
import type { ControllerScale } from './disruption-budget.js';

/** Kinds with `spec.replicas` that control pods. */
const storages: Readonly<Record<string, string>> = {
  ReplicaSet: 'apps/replicasets',
  StatefulSet: 'apps/statefulsets',
  ReplicationController: '/replicationcontrollers',
  Deployment: 'apps/deployments',
};

type Get = (storage: string, namespace: string | undefined, name: string) => StoredObject | undefined;

/** The scale of each controller of these pods that exists, by its UID. */
export function controllerScales(get: Get, pods: readonly Pod[]): Map<string, ControllerScale> {
  const scales = new Map<string, ControllerScale>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined || scales.has(owner.uid)) continue;
    const scale = scaleOf(get, owner, pod.metadata?.namespace);
    if (scale) scales.set(owner.uid, scale);
  }
  return scales;
}

function scaleOf(get: Get, { kind, name, uid }: OwnerReference, namespace: string | undefined): ControllerScale | undefined {
  const found = get(storages[kind] ?? '', namespace, name);
  if (found?.metadata.uid !== uid) return undefined;
  const above = kind === 'ReplicaSet' ? controllerOf(found) : undefined;
  if (above) return scaleOf(get, above, namespace);
  return { uid, replicas: (found.spec as { replicas?: number } | undefined)?.replicas ?? 1 };
}
