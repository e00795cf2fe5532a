import type { Clock, Node } from '@nodeagent/api';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';
import { Delays } from '../delays.js';
import { reconcileDaemonSet } from './daemon-set.js';
import { reconcileDeployment } from './deployment.js';
import { reconcileJob } from './job.js';
import type { ControllerRevision, DaemonSet, Deployment, Job, Reconciliation, ReplicaSet, StatefulSet, Write } from './objects.js';
import { PodsByController } from './pods-by-controller.js';
import { reconcileReplicas } from './replica-set.js';
import { reconcileStatefulSet } from './stateful-set.js';

/** The kinds of these controllers, by the owner kind of their dependents. */
const storages: Readonly<Record<string, string>> = {
  Deployment: 'apps/deployments',
  ReplicaSet: 'apps/replicasets',
  ReplicationController: '/replicationcontrollers',
  DaemonSet: 'apps/daemonsets',
  Job: 'batch/jobs',
  StatefulSet: 'apps/statefulsets',
};
const watched = Object.values(storages);

/** All kinds that these controllers write. */
const written: Readonly<Record<string, string>> = {
  ...storages,
  Pod: '/pods',
  PersistentVolumeClaim: '/persistentvolumeclaims',
  ControllerRevision: 'apps/controllerrevisions',
};

/** Reconciles Deployments, ReplicaSets, ReplicationControllers, DaemonSets, StatefulSets and Jobs, one step at a time. */
export class WorkloadController implements Controller {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #delays: Delays;
  readonly #pods = new PodsByController();

  /** `again` is called when the delay of an object is over. */
  constructor({ objects, clock, again }: { objects: ControllerObjects; clock: Clock; again: (place: Place) => void }) {
    this.#objects = objects;
    this.#clock = clock;
    this.#delays = new Delays(clock, again);
  }

  affected(change: StoredChange): Place[] {
    const { storage, type, object } = change;
    if (storage === '/pods') this.#pods.see(change);
    if (storage === '/nodes') return this.#objects.list('apps/daemonsets').map((each) => placeOf('apps/daemonsets', each));
    const own = watched.includes(storage) && type !== 'DELETED' ? [placeOf(storage, object)] : [];
    if (storage !== '/pods' && storage !== 'apps/replicasets') return own;
    const { namespace = '', ownerReferences = [] } = object.metadata;
    const owner = ownerReferences.find(({ controller }) => controller);
    const above = owner && storages[owner.kind];
    return above ? [...own, { storage: above, namespace, name: owner.name }] : own;
  }

  covers({ storage }: Place): boolean {
    return watched.includes(storage);
  }

  reconcile(place: Place): void {
    this.#delays.cancel(place);
    const object = this.#objects.get(place.storage, place.namespace, place.name);
    if (object === undefined) return;
    const { writes, againAt } = this.#step(place, object);
    for (const write of writes) this.#write(write);
    this.#delays.set(place, againAt);
  }

  /** Cancels all delayed reconciles. */
  stop(): void {
    this.#delays.stop();
  }

  #step({ storage, namespace }: Place, object: StoredObject): Reconciliation {
    const objects = this.#objects;
    const now = this.#clock.now();
    const states = this.#pods.of(object);
    const pods = () => states.map(({ pod }) => pod);
    switch (storage) {
      case 'apps/deployments':
        return reconcileDeployment({
          deployment: object as unknown as Deployment,
          replicaSets: objects.list('apps/replicasets', namespace) as unknown as ReplicaSet[],
          now,
        });
      case 'apps/replicasets':
      case '/replicationcontrollers':
        return reconcileReplicas(object as unknown as ReplicaSet, states, now);
      case 'apps/daemonsets':
        return reconcileDaemonSet({
          daemonSet: object as unknown as DaemonSet,
          pods: pods(),
          nodes: objects.list('/nodes') as Node[],
          now,
        });
      case 'apps/statefulsets':
        return reconcileStatefulSet({
          statefulSet: object as unknown as StatefulSet,
          pods: pods(),
          revisions: objects.list('apps/controllerrevisions', namespace) as unknown as ControllerRevision[],
          claims: new Set(objects.list('/persistentvolumeclaims', namespace).map(({ metadata }) => metadata.name ?? '')),
          now,
        });
      default:
        return reconcileJob({ job: object as unknown as Job, pods: pods(), now });
    }
  }

  #write({ verb, object }: Write): void {
    const storage = written[object.kind ?? ''] ?? '';
    const { namespace = '', name = '' } = object.metadata ?? {};
    const content = object as unknown as StoredObject;
    if (verb === 'create') {
      this.#objects.create(storage, content, { ...controllerManager, namespace });
      return;
    }
    const before = this.#objects.get(storage, namespace, name);
    if (before === undefined) return;
    if (verb === 'delete') this.#objects.delete(storage, before);
    else
      this.#objects.replace(storage, before, content, { ...controllerManager, ...(verb === 'updateStatus' && { subresource: 'status' }) });
  }
}
