import type { Clock, Node, PersistentVolumeClaim, Pod } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeKey,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';
import { Delays } from '../delays.js';
import type { EventWriter } from '../event-writer.js';
import { type Claimant, claimObjects } from './claim-objects.js';
import { reconcileCronJob } from './cron/cron-job.js';
import { concernsNode, type NodeFailures, reconcileDaemonSet } from './daemon-set.js';
import { reconcileDeployment } from './deployment.js';
import { reconcileJob } from './job.js';
import type { JobBackoff } from './jobs/job-backoff.js';
import { isTracked, untracked } from './jobs/tracking.js';
import type {
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  Reconciliation,
  ReplicaSet,
  StatefulSet,
  Write,
  WriteFailure,
} from './objects.js';
import { controllerOf } from './ownership.js';
import { isActive, type PodState } from './pod-states.js';
import { PodsByController } from './pods-by-controller.js';
import { reconcileReplicas } from './replica-set.js';
import { isPodOf, reconcileStatefulSet } from './stateful-set.js';
import { components, writeEvent } from './workload-events.js';

const claims = '/persistentvolumeclaims';

/** The kinds of these controllers, by the owner kind of their dependents. */
const storages: Readonly<Record<string, string>> = {
  Deployment: 'apps/deployments',
  ReplicaSet: 'apps/replicasets',
  ReplicationController: '/replicationcontrollers',
  DaemonSet: 'apps/daemonsets',
  Job: 'batch/jobs',
  StatefulSet: 'apps/statefulsets',
  CronJob: 'batch/cronjobs',
};
const watched = Object.values(storages);

/** All kinds that these controllers write. */
const written: Readonly<Record<string, string>> = {
  ...storages,
  Pod: '/pods',
  PersistentVolumeClaim: claims,
  ControllerRevision: 'apps/controllerrevisions',
};

/** The kinds whose objects claim orphans of a kind. */
const claimants: Readonly<Record<string, readonly string[]>> = {
  '/pods': watched.filter((storage) => storage !== 'apps/deployments' && storage !== 'batch/cronjobs'),
  'apps/replicasets': ['apps/deployments'],
  'batch/jobs': [],
};

/** The delays after failed writes; they double with each further one. */
const retriesMs = { first: 5, longest: 1_000_000 };
const jobRetriesMs = { first: 1_000, longest: 60_000 };

type Step = Reconciliation & { backoff?: JobBackoff };

/** Ports of {@link WorkloadController}. */
export interface WorkloadPorts {
  objects: ControllerObjects;
  clock: Clock;
  events: EventWriter;
  /** Called when the delay of an object is over. */
  again: (place: Place) => void;
}

/** Reconciles Deployments, ReplicaSets, ReplicationControllers, DaemonSets, StatefulSets, Jobs and CronJobs, one step at a time. */
export class WorkloadController implements Controller {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #events: EventWriter;
  readonly #delays: Delays;
  /** Objects whose dependents may match their selectors no longer, or newly. */
  readonly #unclaimed = new Set<string>();
  /** Number of failed writes in succession. */
  readonly #failures = new Map<string, number>();
  /** The failed pods of DaemonSets, by the UID of those; a new template is tried at once. */
  readonly #daemonFailures = new Map<string, { generation: number | undefined; failures: NodeFailures }>();
  readonly #pods = new PodsByController();
  readonly #backoffs = new Map<string, JobBackoff>();

  constructor({ objects, clock, events, again }: WorkloadPorts) {
    this.#objects = objects;
    this.#clock = clock;
    this.#events = events;
    this.#delays = new Delays(clock, again);
  }

  affected(change: StoredChange): Place[] {
    const { storage, type, object, previous } = change;
    if (storage === '/pods') this.#pods.see(change);
    if (storage === '/nodes') return this.#daemonSetsOf(change);
    // A new pod waits until the claim of the earlier one is deleted.
    if (storage === claims) return type === 'DELETED' ? this.#places('apps/statefulsets', object.metadata.namespace) : [];
    const isKept = type !== 'DELETED' || storage === 'batch/jobs';
    const own = watched.includes(storage) && isKept ? [placeOf(storage, object)] : [];
    if (type === 'ADDED' || previous?.metadata.generation !== object.metadata.generation) this.#setUnclaimed(own);
    if (claimants[storage] === undefined) return own;
    const owner = ownerPlace(object);
    if (type === 'DELETED' || !isReassigned(change)) return owner ? [...own, owner] : own;
    const earlier = previous && ownerPlace(previous);
    const claiming = [...(owner ? [owner] : this.#claimantsOf(change)), ...(earlier ? [earlier] : [])];
    this.#setUnclaimed(claiming);
    return [...own, ...claiming];
  }

  covers({ storage }: Place): boolean {
    return watched.includes(storage);
  }

  reconcile(place: Place): void {
    this.#delays.cancel(place);
    const object = this.#get(place);
    if (object === undefined) {
      this.#backoffs.delete(placeKey(place));
      if (place.storage === 'batch/jobs') this.#untrackPodsOf(place);
      return;
    }
    if (this.#unclaimed.delete(placeKey(place))) this.#claim(place, object);
    const states = this.#pods.of(object);
    const plan = this.#step(place, object, { states });
    const failure = this.#perform(object, plan.writes);
    for (const event of plan.events ?? []) this.#report(object, { component: components[object.kind] ?? '', ...event });
    const retryAt = this.#retryAt(place, failure);
    if (failure) {
      // A job counts the pods that were created before the failure; the others count those before the step.
      const seen = place.storage === 'batch/jobs' ? this.#pods.of(object) : states;
      const { writes } = this.#step(place, object, { states: seen, failure });
      this.#perform(
        object,
        writes.filter(({ verb }) => verb === 'updateStatus'),
      );
    } else if (plan.backoff) this.#backoffs.set(placeKey(place), plan.backoff);
    const times = [plan.againAt, retryAt].filter((time) => time !== undefined);
    this.#delays.set(place, times.length > 0 ? Math.min(...times) : undefined);
  }

  /** Cancels all delayed reconciles. */
  stop(): void {
    this.#delays.stop();
  }

  /** The DaemonSets that react to the change of a node. The pods of a deleted one are left to the garbage collector of pods. */
  #daemonSetsOf({ type, object }: StoredChange): Place[] {
    if (type === 'DELETED') return [];
    const { name } = object.metadata;
    const concerned = this.#objects.list('apps/daemonsets').filter((each) => {
      const hasPod = this.#pods.of(each).some(({ pod }) => pod.spec?.nodeName === name);
      return concernsNode(each as unknown as DaemonSet, object as Node, hasPod);
    });
    return concerned.map((each) => placeOf('apps/daemonsets', each));
  }

  #places(storage: string, namespace?: string): Place[] {
    return this.#objects.list(storage, namespace).map((each) => placeOf(storage, each));
  }

  #get({ storage, namespace, name }: Place): StoredObject | undefined {
    return this.#objects.get(storage, namespace, name);
  }

  #setUnclaimed(places: readonly Place[]): void {
    for (const place of places) this.#unclaimed.add(placeKey(place));
  }

  /** The objects that may adopt a new or changed orphan. */
  #claimantsOf({ storage, object }: StoredChange): Place[] {
    const { namespace, labels } = object.metadata;
    if (labels === undefined) return [];
    return (claimants[storage] ?? []).flatMap((claimant) =>
      this.#objects
        .list(claimant, namespace)
        .filter((each) => claimObjects(each as unknown as Claimant, [object]).adopted.length > 0)
        .map((each) => placeOf(claimant, each)),
    );
  }

  #claim({ storage, namespace }: Place, object: StoredObject): void {
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
  #untrackPodsOf({ namespace, name }: Place): void {
    for (const pod of this.#objects.list('/pods', namespace)) {
      const owner = controllerOf(pod);
      const isOrphan = owner === undefined || (owner.kind === 'Job' && owner.name === name);
      if (isOrphan && isTracked(pod)) this.#objects.replace('/pods', pod, untracked(pod), controllerManager);
    }
  }

  #writeClaims({ adopted, released }: { adopted: StoredObject[]; released: StoredObject[] }, storage: string): void {
    for (const object of [...adopted, ...released]) {
      const before = this.#get(placeOf(storage, object));
      if (before) this.#objects.replace(storage, before, object, controllerManager);
    }
  }

  #step(place: Place, object: StoredObject, { states, failure }: { states: readonly PodState[]; failure?: WriteFailure }): Step {
    const { storage, namespace } = place;
    const objects = this.#objects;
    const now = this.#clock.now();
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
        return reconcileReplicas(object as unknown as ReplicaSet, states, { now, failure, related: () => this.#relatedPods(object) });
      case 'apps/daemonsets':
        return this.#daemonSetStep(object, pods());
      case 'apps/statefulsets':
        return reconcileStatefulSet({
          statefulSet: object as unknown as StatefulSet,
          pods: pods(),
          revisions: objects.list('apps/controllerrevisions', namespace) as unknown as ControllerRevision[],
          claims: objects.list(claims, namespace) as PersistentVolumeClaim[],
          now,
        });
      case 'batch/cronjobs':
        return reconcileCronJob({
          cronJob: object as unknown as CronJob,
          jobs: objects.list('batch/jobs', namespace) as unknown as Job[],
          now,
          ...(failure && { failure }),
        });
      default: {
        const backoff = this.#backoffs.get(placeKey(place));
        return reconcileJob({
          job: object as unknown as Job,
          pods: pods(),
          now,
          ...(backoff && { backoff }),
          isCreationRefused: failure !== undefined,
        });
      }
    }
  }

  #daemonSetStep(object: StoredObject, pods: readonly Pod[]): Reconciliation {
    const { namespace, uid = '', generation } = object.metadata;
    const before = this.#daemonFailures.get(uid);
    const { failures, ...plan } = reconcileDaemonSet({
      daemonSet: object as unknown as DaemonSet,
      pods,
      nodes: this.#objects.list('/nodes') as Node[],
      revisions: this.#objects.list('apps/controllerrevisions', namespace) as unknown as ControllerRevision[],
      ...(before?.generation === generation && before?.failures && { failures: before.failures }),
      now: this.#clock.now(),
    });
    if (failures.size > 0) this.#daemonFailures.set(uid, { generation, failures });
    else this.#daemonFailures.delete(uid);
    return plan;
  }

  /** The pods of all ReplicaSets of the same Deployment. */
  #relatedPods(replicaSet: StoredObject): Pod[] {
    const owner = controllerOf(replicaSet);
    const all = owner ? this.#objects.list('apps/replicasets', replicaSet.metadata.namespace) : [];
    const siblings = owner ? all.filter((each) => controllerOf(each)?.uid === owner.uid) : [replicaSet];
    return siblings.flatMap((each) => this.#pods.of(each).map(({ pod }) => pod));
  }

  /** Performs writes up to the first that fails; of creations of pods also those of the same batch. */
  #perform(owner: StoredObject, writes: readonly Write[]): WriteFailure | undefined {
    const batchOf = owner.kind === 'StatefulSet' ? () => undefined : creationBatches();
    let failure: WriteFailure | undefined;
    let failedBatch: number | undefined;
    for (const write of writes) {
      const batch = batchOf(write);
      if (failure && (batch === undefined || batch !== failedBatch)) return failure;
      const storage = written[write.object.kind ?? ''] ?? '';
      const before = this.#get(placeOf(storage, write.object as unknown as StoredObject));
      const done = { write, before, name: write.object.metadata?.name ?? '' };
      let message: string | undefined;
      try {
        const stored = this.#write(storage, before, write);
        if (before !== owner) this.#report(owner, writeEvent(owner, { ...done, name: stored?.metadata.name ?? done.name }));
      } catch (error) {
        message = error instanceof Error ? error.message : String(error);
        this.#report(owner, writeEvent(owner, { ...done, error: message }));
      }
      if (message === undefined) continue;
      failure ??= { reason: write.verb === 'delete' ? 'FailedDelete' : 'FailedCreate', message };
      failedBatch = batch;
    }
    return failure;
  }

  #write(storage: string, before: StoredObject | undefined, { verb, object, propagationPolicy }: Write): StoredObject | undefined {
    const content = object as unknown as StoredObject;
    const { namespace = '' } = content.metadata;
    if (verb === 'create') return this.#objects.create(storage, content, { ...controllerManager, namespace });
    if (before === undefined) return undefined;
    if (verb === 'delete') this.#objects.delete(storage, before, propagationPolicy && { propagationPolicy });
    else
      this.#objects.replace(storage, before, content, { ...controllerManager, ...(verb === 'updateStatus' && { subresource: 'status' }) });
    return before;
  }

  #report(owner: StoredObject, event: ReturnType<typeof writeEvent>): void {
    if (event) this.#events.write(owner, event, controllerManager);
  }

  #retryAt(place: Place, failure: WriteFailure | undefined): number | undefined {
    const key = placeKey(place);
    if (failure === undefined) {
      this.#failures.delete(key);
      return undefined;
    }
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const { first, longest } = place.storage === 'batch/jobs' ? jobRetriesMs : retriesMs;
    return this.#clock.now() + Math.min(longest, first * 2 ** failures);
  }
}

/** The number of the batch of each creation of a pod: as in a cluster 1, 2, 4 and so on are attempted together. */
function creationBatches(): (write: Write) => number | undefined {
  let created = 0;
  return ({ verb, object }) => (verb === 'create' && object.kind === 'Pod' ? Math.floor(Math.log2(++created)) : undefined);
}

function ownerPlace(object: StoredObject): Place | undefined {
  const owner = controllerOf(object);
  const storage = owner && storages[owner.kind];
  return storage ? { storage, namespace: object.metadata.namespace ?? '', name: owner.name } : undefined;
}

/** Whether an object is new, or has other labels or another controller. */
const isReassigned = ({ object, previous }: StoredChange): boolean =>
  previous === undefined ||
  controllerOf(previous)?.uid !== controllerOf(object)?.uid ||
  !equalJson(previous.metadata.labels ?? {}, object.metadata.labels ?? {});
