import { type AnyObject, type Cluster, pathOf } from './cluster.js';

const observedKinds = [
  'Namespace',
  'Node',
  'Pod',
  'Event',
  'Service',
  'ReplicationController',
  'ServiceAccount',
  'ConfigMap',
  'ResourceQuota',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'ControllerRevision',
  'Job',
  'CronJob',
  'PodDisruptionBudget',
  'EndpointSlice',
];

/** An object with its history. */
export interface Observed {
  object: AnyObject;
  /** In milliseconds since 1970. */
  createdAt: number;
  deletedAt?: number;
  /** The order of creation among all objects. */
  order: number;
  /** Its distinct conditions, as they became. */
  conditions: string[];
}

type PodListener = (pod: AnyObject) => void;

/** Keeps all objects of a cluster, as its watches report them. */
export class Observer {
  readonly #cluster: Cluster;
  readonly #objects = new Map<string, Observed>();
  readonly #podListeners: PodListener[] = [];

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async start(): Promise<void> {
    for (const kind of observedKinds) {
      await this.#cluster.watch(pathOf(kind), (type, object) => this.#see(kind, type === 'DELETED', object));
    }
  }

  /** Calls the listener with each new state of each pod. */
  onPod(listener: PodListener): void {
    this.#podListeners.push(listener);
  }

  /** The objects of a namespace, and those of the cluster that are named after it, in the order of their creation; also the deleted ones. */
  of(namespace: string): Observed[] {
    const isNamed = (name: string) => name === namespace || name.replace(/-[a-z]+$/, '') === namespace;
    const isOf = ({ kind, metadata }: AnyObject) => {
      if (kind === 'Namespace') return metadata.name === namespace;
      return metadata.namespace === undefined ? isNamed(metadata.name) : metadata.namespace === namespace;
    };
    const isAbout = ({ kind, involvedObject }: AnyObject) =>
      kind === 'Event' && involvedObject.namespace === undefined && isNamed(involvedObject.name);
    return [...this.#objects.values()].filter(({ object }) => isOf(object) || isAbout(object)).sort((a, b) => a.order - b.order);
  }

  #see(kind: string, isDeleted: boolean, object: AnyObject): void {
    const uid = object.metadata.uid ?? '';
    const now = this.#cluster.now();
    const known = this.#objects.get(uid);
    const seen = known ?? { object, createdAt: now, order: Number(object.metadata.resourceVersion), conditions: [] };
    this.#objects.set(uid, seen);
    seen.object = { ...object, kind };
    if (isDeleted) seen.deletedAt = now;
    for (const condition of (object.status?.conditions ?? []) as Record<string, unknown>[]) {
      const { type, status, reason, message } = condition;
      const text = JSON.stringify({ type, status, reason, message });
      const last = seen.conditions.findLast((each) => JSON.parse(each).type === type);
      if (last !== text) seen.conditions.push(text);
    }
    if (kind === 'Pod' && !isDeleted) for (const listener of this.#podListeners) listener(seen.object);
  }
}
