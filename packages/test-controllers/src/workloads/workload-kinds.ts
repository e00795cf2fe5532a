import { equalJson } from '@nodeagent/api/helpers';
import type { Place, StoredChange, StoredObject } from '../controller-objects.js';
import { controllerOf } from './ownership.js';

export const claims = '/persistentvolumeclaims';

/** The kinds of these controllers, by the owner kind of their dependents. */
export const storages: Readonly<Record<string, string>> = {
  Deployment: 'apps/deployments',
  ReplicaSet: 'apps/replicasets',
  ReplicationController: '/replicationcontrollers',
  DaemonSet: 'apps/daemonsets',
  Job: 'batch/jobs',
  StatefulSet: 'apps/statefulsets',
  CronJob: 'batch/cronjobs',
};

export const watched = Object.values(storages);

/** The kinds whose objects claim orphans of a kind. */
export const claimants: Readonly<Record<string, readonly string[]>> = {
  '/pods': watched.filter((storage) => storage !== 'apps/deployments' && storage !== 'batch/cronjobs'),
  'apps/replicasets': ['apps/deployments'],
  'batch/jobs': [],
};

/** The object that controls another one, if it is of these kinds. */
export function ownerPlace(object: StoredObject): Place | undefined {
  const owner = controllerOf(object);
  const storage = owner && storages[owner.kind];
  return storage ? { storage, namespace: object.metadata.namespace ?? '', name: owner.name } : undefined;
}

/** Whether an object is new, or has other labels or another controller. */
export const isReassigned = ({ object, previous }: StoredChange): boolean =>
  previous === undefined ||
  controllerOf(previous)?.uid !== controllerOf(object)?.uid ||
  !equalJson(previous.metadata.labels ?? {}, object.metadata.labels ?? {});
