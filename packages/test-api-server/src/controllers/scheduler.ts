import type { Node, Pod, PodCondition } from '@nodeagent/api';
import { type ApiContext, timestamp, type WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import { withCondition } from '../node-lifecycle/with-condition.js';
import type { ApiObject } from '../objects.js';
import { commitUpdate } from '../operations/commit.js';
import { ClusterBook } from '../schedule/cluster-book.js';
import { scheduleInto } from '../schedule/schedule-once.js';
import { storeKey } from '../store/object-store.js';
import type { StoreEvent } from '../store/store-event.js';
import { bindPod } from '../subresources/binding.js';
import type { Controller } from './controller.js';
import type { Place } from './dependents.js';
import type { EventWriter } from './event-writer.js';

const component = 'default-scheduler';
const writer: WriteOptions = { user: { username: 'system:kube-scheduler' }, fieldManager: 'kube-scheduler' };

/** All pending pods are scheduled together, so the queue has a single key. */
const everything: Place = { storage: 'scheduler', name: 'waiting pods' };

const keyOf = ({ metadata }: Pod) => storeKey(metadata?.namespace, metadata?.name ?? '');
const splitKey = (key: string) => key.split('/') as [namespace: string, name: string];

/**
 * Binds pending pods to nodes by {@link scheduleInto}, whenever a pod or a node changes. An unschedulable pod is retried when a
 * node has changed or resources were freed.
 */
export class Scheduler implements Controller {
  readonly #context: ApiContext;
  readonly #book = new ClusterBook();
  readonly #waiting = new Set<string>();
  readonly #parked = new Set<string>();
  readonly #events: EventWriter;
  #checked = 0;

  constructor(context: ApiContext, events: EventWriter) {
    this.#context = context;
    this.#events = events;
  }

  affected(event: StoreEvent): Place[] {
    if (event.storage === '/nodes') {
      this.#book.setNode(event.object.metadata.name ?? '', event.type === 'DELETED' ? undefined : (event.object as Node));
      this.#unpark();
    } else if (event.storage === '/pods') this.#see(event);
    else return [];
    return this.#waiting.size > 0 ? [everything] : [];
  }

  reconcile(): void {
    const { store } = this.#context;
    const keys = [...this.#waiting].sort();
    const pods = keys.flatMap((key) => (store.get('/pods', ...splitKey(key)) as (Pod & ApiObject) | undefined) ?? []);
    const cluster = { ...this.#book.cluster(), checked: this.#checked };
    const { bindings, unschedulable } = scheduleInto(cluster, { pods });
    this.#checked = cluster.checked;
    // Pods stay in the queue until they are bound.
    const bound = new Set(bindings.map(({ pod }) => keyOf(pod)));
    for (const key of keys) if (!bound.has(key)) this.#waiting.delete(key);
    for (const { pod, nodeName } of bindings) this.#bind(pod as Pod & ApiObject, nodeName);
    for (const { pod, message } of unschedulable) {
      this.#parked.add(keyOf(pod));
      this.#refuse(pod as Pod & ApiObject, message);
    }
  }

  #see({ type, object, previous }: StoreEvent): void {
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

  #bind(pod: Pod & ApiObject, nodeName: string): void {
    const definition = this.#context.registry.storedForm('/pods');
    if (definition === undefined) return;
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: {}, target: { kind: 'Node', name: nodeName } };
    bindPod(this.#context, definition, pod, binding, writer);
    const { namespace, name } = pod.metadata;
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
    this.#events.write(pod, { component, type: 'Normal', reason: 'Scheduled', message }, writer);
  }

  /** Reports once why a pod is unschedulable, and again when the reason changes. */
  #refuse(pod: Pod & ApiObject, message: string): void {
    const definition = this.#context.registry.storedForm('/pods');
    const conditions = pod.status?.conditions ?? [];
    if (definition === undefined || conditions.some((each) => each.type === 'PodScheduled' && each.message === message)) return;
    const condition: PodCondition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    const after = copyJson(pod) as Pod & ApiObject;
    after.status = { ...after.status, conditions: withCondition(conditions, condition, timestamp(this.#context)) };
    commitUpdate(this.#context, definition, pod, after, { ...writer, subresource: 'status', internal: true });
    this.#events.write(pod, { component, type: 'Warning', reason: 'FailedScheduling', message }, writer);
  }
}
