import type { Clock, Node, PersistentVolumeClaim, Pod } from '@nodeagent/api';
import type { Controller } from '../controller.js';
import { type ControllerObjects, type Place, placeKey, placeOf, type StoredChange, type StoredObject } from '../controller-objects.js';
import { Delays } from '../delays.js';
import type { EventWriter } from '../event-writer.js';
import { reconcileCronJob } from './cron/cron-job.js';
import { concernsNode, type NodeFailures, reconcileDaemonSet } from './daemon-set.js';
import { reconcileDeployment } from './deployment.js';
import { reconcileJob } from './job.js';
import type { JobBackoff } from './jobs/job-backoff.js';
import type {
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  Reconciliation,
  ReplicaSet,
  StatefulSet,
  WriteFailure,
} from './objects.js';
import { controllerOf } from './ownership.js';
import type { PodState } from './pod-states.js';
import { PodsByController } from './pods-by-controller.js';
import { reconcileReplicas } from './replica-set.js';
import { reconcileStatefulSet } from './stateful-set.js';
import { WorkloadClaims } from './workload-claims.js';
import { components } from './workload-events.js';
import { claimants, claims, isReassigned, ownerPlace, watched } from './workload-kinds.js';
import { WorkloadWrites } from './workload-writes.js';

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
  readonly #writes: WorkloadWrites;
  readonly #claims: WorkloadClaims;
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
    this.#writes = new WorkloadWrites(objects, events);
    this.#claims = new WorkloadClaims(objects, this.#pods);
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
    const claiming = [...(owner ? [owner] : this.#claims.claimantsOf(change)), ...(earlier ? [earlier] : [])];
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
      if (place.storage === 'batch/jobs') this.#claims.untrackPodsOf(place);
      return;
    }
    if (this.#unclaimed.delete(placeKey(place))) this.#claims.claim(place, object);
    const states = this.#pods.of(object);
    const plan = this.#step(place, object, { states });
    const failure = this.#writes.perform(object, plan.writes);
    for (const event of plan.events ?? []) this.#writes.report(object, { component: components[object.kind] ?? '', ...event });
    const retryAt = this.#retryAt(place, failure);
    if (failure) {
      // A job counts the pods that were created before the failure; the others count those before the step.
      const seen = place.storage === 'batch/jobs' ? this.#pods.of(object) : states;
      const { writes } = this.#step(place, object, { states: seen, failure });
      this.#writes.perform(
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
