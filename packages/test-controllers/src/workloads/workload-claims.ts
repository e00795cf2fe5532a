import type { Pod } from '@nodeagent/api';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';
import { type Claimant, claimObjects } from './claim-objects.js';
import { isTracked, untracked } from './jobs/tracking.js';
import type { StatefulSet } from './objects.js';
import { controllerOf } from './ownership.js';
import { isActive } from './pod-states.js';
import type { PodsByController } from './pods-by-controller.js';
import { isPodOf } from './stateful-set.js';
import { claimants } from './workload-kinds.js';

/** Adopts orphans that match the selectors of workloads, and releases what no longer does. */
export class WorkloadClaims {
  readonly #objects: ControllerObjects;
  readonly #pods: PodsByController;

  constructor(objects: ControllerObjects, pods: PodsByController) {
    this.#objects = objects;
    this.#pods = pods;
  }

  /** The objects that may adopt a new or changed orphan. */
  claimantsOf({ storage, object }: StoredChange): Place[] {
    const { namespace, labels } = object.metadata;
    if (labels === undefined) return [];
    return (claimants[storage] ?? []).flatMap((claimant) =>
      this.#objects
        .list(claimant, namespace)
        .filter((each) => claimObjects(each as unknown as Claimant, [object]).adopted.length > 0)
        .map((each) => placeOf(claimant, each)),
    );
  }

  /** Claims the dependents of an object. */
  claim({ storage, namespace }: Place, object: StoredObject): void {
    const owner = object as unknown as Claimant;
    if (storage === 'batch/cronjobs') return;
    if (storage === 'apps/deployments') {
      this.#writeClaims(claimObjects(owner, this.#objects.list('apps/replicasets', namespace)), 'apps/replicasets');
      return;
    }
    const pods = [...this.#pods.of(object), ...this.#pods.orphans(namespace)].map(({ pod }) => pod as Pod & StoredObject);
    const canAdopt = (pod: Pod) =>
      owner.kind === 'StatefulSet' ? isPodOf(owner as StatefulSet, pod) : !owner.kind?.startsWith('Replica') || isActive(pod);
    this.#writeClaims(claimObjects(owner, pods, canAdopt), '/pods');
  }

  /** The pods of a deleted job are not counted any more. */
  untrackPodsOf({ namespace, name }: Place): void {
    for (const pod of this.#objects.list('/pods', namespace)) {
      const owner = controllerOf(pod);
      const isOrphan = owner === undefined || (owner.kind === 'Job' && owner.name === name);
      if (isOrphan && isTracked(pod)) this.#objects.replace('/pods', pod, untracked(pod), controllerManager);
    }
  }

  #writeClaims({ adopted, released }: { adopted: StoredObject[]; released: StoredObject[] }, storage: string): void {
    for (const object of [...adopted, ...released]) {
      const before = this.#objects.get(storage, object.metadata.namespace, object.metadata.name ?? '');
      if (before) this.#objects.replace(storage, before, object, controllerManager);
    }
  }
}
