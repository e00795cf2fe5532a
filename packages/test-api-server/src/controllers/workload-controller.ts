import type { Node, Pod, Timer } from '@nodeagent/api';
import type { ApiContext, WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';
import { createObject } from '../operations/create.js';
import { deleteObject } from '../operations/delete.js';
import { replaceObject } from '../operations/update.js';
import { reconcileDaemonSet } from '../reconcile/daemon-set.js';
import { reconcileDeployment } from '../reconcile/deployment.js';
import { reconcileJob } from '../reconcile/job.js';
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  Job,
  Reconciliation,
  ReplicaSet,
  StatefulSet,
  Write,
} from '../reconcile/objects.js';
import { reconcileReplicaSet } from '../reconcile/replica-set.js';
import { reconcileStatefulSet } from '../reconcile/stateful-set.js';
import type { StoreEvent } from '../store/store-event.js';
import type { Controller } from './controller.js';
import { type Place, placeOf } from './dependents.js';

const writer: WriteOptions = { user: { username: 'system:kube-controller-manager' }, fieldManager: 'kube-controller-manager' };

/** The kinds of these controllers, by the owner kind of their dependents. */
const storages: Readonly<Record<string, string>> = {
  Deployment: 'apps/deployments',
  ReplicaSet: 'apps/replicasets',
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

/** Reconciles Deployments, ReplicaSets, DaemonSets, StatefulSets and Jobs, one step at a time. */
export class WorkloadController implements Controller {
  readonly #context: ApiContext;
  readonly #again: (place: Place) => void;
  readonly #timers = new Map<string, Timer>();

  /** `again` is called when the delay of an object is over. */
  constructor(context: ApiContext, again: (place: Place) => void) {
    this.#context = context;
    this.#again = again;
  }

  affected({ storage, type, object }: StoreEvent): Place[] {
    if (storage === '/nodes') return this.#context.store.list('apps/daemonsets').map((each) => placeOf('apps/daemonsets', each));
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
    const key = `${place.storage} ${place.namespace}/${place.name}`;
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    const object = this.#context.store.get(place.storage, place.namespace, place.name);
    if (object === undefined) return;
    const { writes, againAt } = this.#step(place, object);
    for (const write of writes) this.#write(write);
    if (againAt === undefined) return;
    const { clock } = this.#context;
    this.#timers.set(
      key,
      clock.setTimeout(() => this.#again(place), Math.max(0, againAt - clock.now())),
    );
  }

  /** Cancels all delayed reconciles. */
  stop(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #step({ storage, namespace }: Place, object: ApiObject): Reconciliation {
    const { store, clock } = this.#context;
    const now = clock.now();
    const pods = () => store.list('/pods', namespace) as Pod[];
    switch (storage) {
      case 'apps/deployments':
        return reconcileDeployment({
          deployment: object as unknown as Deployment,
          replicaSets: store.list('apps/replicasets', namespace) as unknown as ReplicaSet[],
          now,
        });
      case 'apps/replicasets':
        return reconcileReplicaSet({ replicaSet: object as unknown as ReplicaSet, pods: pods(), now });
      case 'apps/daemonsets':
        return reconcileDaemonSet({ daemonSet: object as unknown as DaemonSet, pods: pods(), nodes: store.list('/nodes') as Node[], now });
      case 'apps/statefulsets':
        return reconcileStatefulSet({
          statefulSet: object as unknown as StatefulSet,
          pods: pods(),
          revisions: store.list('apps/controllerrevisions', namespace) as unknown as ControllerRevision[],
          claims: new Set(store.list('/persistentvolumeclaims', namespace).map(({ metadata }) => metadata.name ?? '')),
          now,
        });
      default:
        return reconcileJob({ job: object as unknown as Job, pods: pods(), now });
    }
  }

  #write({ verb, object }: Write): void {
    const { store, registry } = this.#context;
    const storage = written[object.kind ?? ''] ?? '';
    const definition = registry.storedForm(storage);
    if (definition === undefined) return;
    const { namespace = '', name = '' } = object.metadata ?? {};
    if (verb === 'create') {
      createObject(this.#context, definition, object as unknown as ApiObject, { ...writer, namespace });
      return;
    }
    const before = store.get(storage, namespace, name);
    if (before === undefined) return;
    if (verb === 'delete') deleteObject(this.#context, definition, before);
    else {
      const part = verb === 'updateStatus' ? { subresource: 'status' } : {};
      replaceObject(this.#context, definition, before, copyJson(object) as unknown as ApiObject, { ...writer, ...part });
    }
  }
}
