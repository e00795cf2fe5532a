import type { Clock, Node, Pod, PodCondition } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import type { ControllerObjects, Place, StoredChange, StoredObject, Writer } from '../controller-objects.js';
import type { EventWriter } from '../event-writer.js';
import { podKey, podNameOf } from '../pod-name.js';
import { withCondition } from '../with-condition.js';
import { ClusterBook } from './cluster-book.js';
import { scheduleInto } from './schedule-once.js';

const component = 'default-scheduler';
const writer: Writer = { user: { username: 'system:kube-scheduler' }, fieldManager: 'kube-scheduler' };

/** All pending pods are scheduled together, so the queue has a single key. */
const everything: Place = { storage: 'scheduler', name: 'waiting pods' };

const keyOf = (pod: Pod) => podKey(podNameOf(pod));
const splitKey = (key: string) => key.split('/') as [namespace: string, name: string];

/**
 * Binds pending pods to nodes by {@link scheduleInto}, whenever a pod or a node changes. An unschedulable pod is retried when a
 * node has changed or resources were freed.
 */
export class Scheduler implements Controller {
  readonly isLast = true;
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #book = new ClusterBook();
  readonly #waiting = new Set<string>();
  readonly #parked = new Set<string>();
  readonly #events: EventWriter;
  #checked = 0;

  constructor({ objects, clock, events }: { objects: ControllerObjects; clock: Clock; events: EventWriter }) {
    this.#objects = objects;
    this.#clock = clock;
    this.#events = events;
  }

  affected(event: StoredChange): Place[] {
    if (event.storage === '/nodes') {
      this.#book.setNode(event.object.metadata.name ?? '', event.type === 'DELETED' ? undefined : (event.object as Node));
      this.#unpark();
    } else if (event.storage === '/pods') this.#see(event);
    else return [];
    return this.#waiting.size > 0 ? [everything] : [];
  }

  reconcile(): void {
    const keys = [...this.#waiting].sort();
    const pods = keys.flatMap((key) => (this.#objects.get('/pods', ...splitKey(key)) as (Pod & StoredObject) | undefined) ?? []);
    const cluster = { ...this.#book.cluster(), checked: this.#checked };
    const { bindings, unschedulable } = scheduleInto(cluster, { pods });
    this.#checked = cluster.checked;
    // Pods stay in the queue until they are bound.
    const bound = new Set(bindings.map(({ pod }) => keyOf(pod)));
    for (const key of keys) if (!bound.has(key)) this.#waiting.delete(key);
    for (const { pod, nodeName } of bindings) this.#bind(pod as Pod & StoredObject, nodeName);
    for (const { pod, message } of unschedulable) {
      this.#parked.add(keyOf(pod));
      this.#refuse(pod as Pod & StoredObject, message);
    }
  }

  #see({ type, object, previous }: StoredChange): void {
    const pod = object as Pod;
    const key = keyOf(pod);
    const nodeName = pod.spec?.nodeName;
    if (nodeName) {
      const freed = this.#book.setPod(nodeName, key, type === 'DELETED' ? undefined : pod);
      const isNew = !(previous as Pod | undefined)?.spec?.nodeName;
      if (freed || (isNew && this.#parked.size > 0)) this.#unpark();
    }
    if (type === 'DELETED' || nodeName) for (const keys of [this.#waiting, this.#parked]) keys.delete(key);
    else if (!this.#parked.has(key) || previous?.metadata.generation !== object.metadata.generation) this.#waiting.add(key);
  }

  #unpark(): void {
    for (const key of this.#parked) this.#waiting.add(key);
    this.#parked.clear();
  }

  #bind(pod: Pod & StoredObject, nodeName: string): void {
    this.#objects.bind(pod, nodeName, writer);
    const { namespace, name } = pod.metadata;
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
    this.#events.write(pod, { component, type: 'Normal', reason: 'Scheduled', message }, writer);
  }

  /** Reports once why a pod is unschedulable, and again when the reason changes. */
  #refuse(pod: Pod & StoredObject, message: string): void {
    const conditions = pod.status?.conditions ?? [];
    if (conditions.some((each) => each.type === 'PodScheduled' && each.message === message)) return;
    const condition: PodCondition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    const status = { ...pod.status, conditions: withCondition(conditions, condition, formatTime(this.#clock.now())) };
    this.#objects.overwrite('/pods', pod, { ...pod, status }, { ...writer, subresource: 'status' });
    this.#events.write(pod, { component, type: 'Warning', reason: 'FailedScheduling', message }, writer);
  }
}
