import { type Clock, errorMessage, type Node, type Pod } from '@nodeagent/api';
import type { Controller } from '../controller.js';
import type { ControllerObjects, Place, StoredChange, StoredObject } from '../controller-objects.js';
import { Delays } from '../delays.js';
import type { EventWriter } from '../event-writer.js';
import { podKey, podNameOf } from '../pod-name.js';
import { ClusterBook } from './cluster-book.js';
import type { ClusterChange, SchedulerPlugin } from './framework/plugin.js';
import { podInfoOf } from './framework/pod-info.js';
import { defaultPlugins } from './plugins/default-plugins.js';
import { PodWrites } from './pod-writes.js';
import { nodeChangesRules } from './rule-changes.js';
import { byUrgency, isPending } from './schedule-once.js';
import { type PodDecision, reserveAgain, schedulePod } from './schedule-pod.js';
import { SchedulingQueue } from './scheduling-queue.js';

const schedulerName = 'default-scheduler';

/** All pending pods are scheduled together, so the queue has a single key. */
const everything: Place = { storage: 'scheduler', name: 'waiting pods' };

const keyOf = (pod: Pod) => podKey(podNameOf(pod));

/** The place by which a pod is retried. */
function placeAt(key: string): Place {
  const at = key.indexOf('/');
  return { storage: everything.storage, namespace: key.slice(0, at), name: key.slice(at + 1) };
}

/** Wait after a failure that no plugin caused, doubled with each failure. */
const [firstRetryMs, lastRetryMs] = [1_000, 10_000];

type StoredPod = Pod & StoredObject;

export interface SchedulerOptions {
  objects: ControllerObjects;
  clock: Clock;
  events: EventWriter;
  /** Reconciles a place later. */
  again: (place: Place) => void;
  /** Default: those of kube-scheduler. */
  plugins?: readonly SchedulerPlugin[];
}

/**
 * Binds pending pods to nodes by {@link schedulePod}, whenever a pod, a node or an object that a rule reads changes. An unschedulable pod is
 * retried after a change that may help the rules that rejected it; one that no rule rejected, as there are no nodes or its binding failed, after a while.
 */
export class Scheduler implements Controller {
  readonly isLast = true;
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #plugins: readonly SchedulerPlugin[];
  readonly #storages: ReadonlySet<string>;
  readonly #book: ClusterBook;
  readonly #queue: SchedulingQueue;
  readonly #writes: PodWrites;
  readonly #delays: Delays;
  /** Pods that have a node but are not bound yet, as a write or another object is awaited. */
  readonly #assumed = new Map<string, { nodeName: string; isWaiting: boolean }>();
  readonly #failures = new Map<string, number>();

  constructor({ objects, clock, events, again, plugins = defaultPlugins }: SchedulerOptions) {
    this.#objects = objects;
    this.#clock = clock;
    this.#plugins = plugins;
    this.#storages = new Set(plugins.flatMap(({ storages = [] }) => storages));
    this.#book = new ClusterBook(objects);
    this.#queue = new SchedulingQueue(plugins);
    this.#writes = new PodWrites({ objects, clock, events });
    this.#delays = new Delays(clock, again);
  }

  affected(event: StoredChange): Place[] {
    if (event.storage === '/nodes') this.#seeNode(event);
    else if (event.storage === '/pods') this.#seePod(event);
    else if (this.#storages.has(event.storage)) {
      this.#queue.onChange(changeOf('objectChanged', event));
      for (const [key, { isWaiting }] of this.#assumed) if (isWaiting) this.#queue.add(key);
    } else return [];
    return this.#queue.size > 0 ? [everything] : [];
  }

  covers({ storage }: Place): boolean {
    return storage === everything.storage;
  }

  reconcile({ namespace, name }: Place): void {
    if (namespace !== undefined) this.#queue.add(`${namespace}/${name}`);
    const pods = this.#queue.take().flatMap((key) => this.#podAt(key) ?? []);
    for (const pod of pods.filter((each) => isPending(each, schedulerName)).sort(byUrgency)) {
      // An earlier pod of this loop may have preempted it.
      const current = this.#podAt(keyOf(pod));
      if (current && isPending(current, schedulerName)) this.#schedule(current);
    }
  }

  stop(): void {
    this.#delays.stop();
  }

  #podAt(key: string): StoredPod | undefined {
    const { namespace, name } = placeAt(key);
    return this.#objects.get('/pods', namespace, name) as StoredPod | undefined;
  }

  #schedule(pod: StoredPod): void {
    const info = podInfoOf(pod);
    const held = this.#plugins.find((plugin) => plugin.preEnqueue?.(pod, this.#objects) !== undefined);
    if (held) {
      this.#queue.park(info.key, pod, new Set([held.name]));
      return;
    }
    const assumed = this.#assumed.get(info.key);
    if (assumed) {
      this.#assumed.delete(info.key);
      this.#book.setPod(assumed.nodeName, info.key, undefined);
    }
    const decision =
      (assumed?.isWaiting && reserveAgain(info, assumed.nodeName, this.#book, this.#plugins)) ||
      schedulePod(info, this.#book, this.#plugins);
    if (decision.node) this.#place(pod, decision);
    else this.#reject(pod, decision);
  }

  #place(
    pod: StoredPod,
    { pod: info, node: { name: nodeName }, reservation: { writes, isWaiting = false } }: PodDecision & { node: object },
  ): void {
    this.#assumed.set(info.key, { nodeName, isWaiting });
    this.#book.place(nodeName, info);
    this.#book.nominate(info.key, undefined, undefined);
    try {
      for (const write of writes) this.#writes.write(write);
      if (!isWaiting) this.#writes.bind(this.#podAt(info.key) ?? pod, nodeName);
    } catch (error) {
      this.#retry(info.key, nodeName, error);
    }
  }

  #reject(
    pod: StoredPod,
    { pod: info, message, rejectedBy, preemption, clearsNomination, writes }: PodDecision & { node?: undefined },
  ): void {
    if (rejectedBy.size === 0) this.#backOff(info.key);
    else {
      this.#failures.delete(info.key);
      this.#queue.park(info.key, pod, rejectedBy);
    }
    const nominated = preemption?.node.name ?? (clearsNomination ? '' : undefined);
    if (preemption) this.#book.nominate(info.key, preemption.node.name, info);
    this.#writes.refuse(pod, 'Unschedulable', message, nominated);
    for (const write of writes) this.#writes.write(write);
    if (!preemption) return;
    const { node, victims } = preemption;
    for (const victim of victims) this.#writes.preempt(victim.pod, pod, node.name);
    for (const other of this.#book.nominated.get(node.name) ?? []) {
      if (other.priority >= info.priority) continue;
      this.#writes.clearNomination(other.pod);
      this.#queue.add(other.key);
    }
  }

  #retry(key: string, nodeName: string, error: unknown): void {
    this.#assumed.delete(key);
    this.#book.setPod(nodeName, key, undefined);
    const current = this.#podAt(key);
    if (!current || !isPending(current, schedulerName)) return;
    this.#backOff(key);
    this.#writes.refuse(current, 'SchedulerError', errorMessage(error));
  }

  /** Tries a pod again after a while, whatever changes meanwhile. */
  #backOff(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#queue.backOff(key);
    this.#delays.set(placeAt(key), this.#clock.now() + Math.min(lastRetryMs, firstRetryMs * 2 ** failures));
  }

  #seeNode(event: StoredChange): void {
    const { type, object, previous } = event;
    const { name = '' } = object.metadata;
    if (type === 'DELETED') {
      this.#book.setNode(name, undefined);
      return;
    }
    const change = previous ? nodeChangesRules(previous as Node, object as Node) : 'nodeAdded';
    if (change) this.#book.setNode(name, object as Node);
    if (change && change !== 'images') this.#queue.onChange(changeOf(change, event));
  }

  #seePod(event: StoredChange): void {
    const { type, object, previous } = event;
    const pod = object as Pod;
    const key = keyOf(pod);
    const nodeName = pod.spec?.nodeName;
    const isDeleted = type === 'DELETED';
    if (nodeName || isDeleted) this.#forget(key, nodeName);
    if (nodeName) {
      const isNew = !(previous as Pod | undefined)?.spec?.nodeName;
      const change = this.#book.setPod(nodeName, key, isDeleted ? undefined : pod);
      // A pod that this scheduler bound is in the book already.
      const seen = isNew && !isDeleted && change !== 'podRemoved' ? 'podAdded' : change;
      if (seen) this.#queue.onChange(changeOf(seen, event));
      return;
    }
    if (isDeleted) return;
    this.#book.nominate(key, pod.status?.nominatedNodeName, pod.status?.nominatedNodeName ? podInfoOf(pod) : undefined);
    if (this.#queue.isBackingOff(key)) return;
    if (!this.#queue.isParked(key) || isChanged(object, previous)) this.#queue.add(key);
  }

  /** Ends what is known of a pod that waited. */
  #forget(key: string, nodeName: string | undefined): void {
    this.#queue.remove(key);
    this.#failures.delete(key);
    this.#delays.cancel(placeAt(key));
    this.#book.nominate(key, undefined, undefined);
    const assumed = this.#assumed.get(key);
    this.#assumed.delete(key);
    if (assumed && assumed.nodeName !== nodeName) this.#book.setPod(assumed.nodeName, key, undefined);
  }
}

const changeOf = (type: ClusterChange['type'], { storage, object, previous }: StoredChange): ClusterChange => ({
  type,
  storage,
  object,
  ...(previous && { previous }),
});

/** Whether what the rules read of a waiting pod changed. */
function isChanged({ metadata }: StoredObject, previous: StoredObject | undefined): boolean {
  const before = previous?.metadata;
  return before?.generation !== metadata.generation || JSON.stringify(before?.labels) !== JSON.stringify(metadata.labels);
}
