import type { Node, Pod, PodCondition } from '@nodeagent/api';
import { type ApiContext, timestamp, type WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';
import { commitUpdate } from '../operations/commit.js';
import { createObject } from '../operations/create.js';
import { ClusterBook } from '../schedule/cluster-book.js';
import { scheduleInto } from '../schedule/schedule-once.js';
import { storeKey } from '../store/object-store.js';
import type { StoreEvent } from '../store/store-event.js';
import { bindPod, withCondition } from '../subresources/binding.js';
import type { Controller } from './controller.js';
import type { Place } from './dependents.js';

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
  #checked = 0;
  #events = 0;

  constructor(context: ApiContext) {
    this.#context = context;
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
    this.#event(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${nodeName}`);
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
    this.#event(pod, 'Warning', 'FailedScheduling', message);
  }

  #event({ metadata }: ApiObject, type: string, reason: string, message: string): void {
    const definition = this.#context.registry.storedForm('/events');
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
    if (definition === undefined) return;
    const now = timestamp(this.#context);
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${this.#eventSuffix()}` },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, resourceVersion },
      type,
      reason,
      message,
      source: { component: 'default-scheduler' },
      reportingComponent: 'default-scheduler',
      reportingInstance: '',
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
    };
    createObject(this.#context, definition, event, { ...writer, namespace });
  }

  /**
   * Nanoseconds, as in the names of other events, so that lists are in order of time. Half a millisecond early, because a node's
   * first event of the pod may be in the same millisecond and must have another name.
   */
  #eventSuffix(): string {
    return (BigInt(this.#context.clock.now()) * 1_000_000n - 500_000n + BigInt(this.#events++ % 400_000)).toString(16);
  }
}
