import type { Node, Pod, PodCondition } from '@nodeagent/api';
import { type ApiContext, timestamp, type WriteOptions } from '../context.js';
import type { ApiObject } from '../objects.js';
import { commitUpdate } from '../operations/commit.js';
import { createObject } from '../operations/create.js';
import { scheduleOnce } from '../schedule/schedule-once.js';
import { type StoreEvent, storeKey } from '../store/object-store.js';
import { bindPod, withCondition } from '../subresources/binding.js';
import type { Controller } from './controller.js';
import type { Place } from './dependents.js';

const writer: WriteOptions = { user: { username: 'system:kube-scheduler' }, fieldManager: 'kube-scheduler' };

/** All waiting pods are looked at together, so there is one thing to look at. */
const everything: Place = { storage: 'scheduler', name: 'waiting pods' };

/** Binds waiting pods to nodes by {@link scheduleOnce}, whenever a pod or a node changes. */
export class Scheduler implements Controller {
  readonly #context: ApiContext;
  readonly #waiting = new Set<string>();
  #events = 0;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  affected({ type, storage, object }: StoreEvent): Place[] {
    if (storage === '/pods') {
      const key = storeKey(object.metadata.namespace, object.metadata.name ?? '');
      if (type === 'DELETED' || (object as Pod).spec?.nodeName) this.#waiting.delete(key);
      else this.#waiting.add(key);
    } else if (storage !== '/nodes') return [];
    return this.#waiting.size > 0 ? [everything] : [];
  }

  reconcile(): void {
    const { store } = this.#context;
    const pods = store.list('/pods') as (Pod & ApiObject)[];
    const boundPods = pods.filter(({ spec }) => spec?.nodeName);
    const nodes = store.list('/nodes') as (Node & ApiObject)[];
    const { bindings, unschedulable } = scheduleOnce({ pods: pods.filter(({ spec }) => !spec?.nodeName), nodes, boundPods });
    for (const { pod, nodeName } of bindings) this.#bind(pod as Pod & ApiObject, nodeName);
    for (const { pod, message } of unschedulable) this.#refuse(pod as Pod & ApiObject, message);
  }

  #bind(pod: Pod & ApiObject, nodeName: string): void {
    const definition = this.#context.registry.storedForm('/pods');
    if (definition === undefined) return;
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: {}, target: { kind: 'Node', name: nodeName } };
    bindPod(this.#context, definition, pod, binding, writer);
    const { namespace, name } = pod.metadata;
    this.#event(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${nodeName}`);
  }

  /** Tells once why a pod fits nowhere, and again when the reason is another. */
  #refuse(pod: Pod & ApiObject, message: string): void {
    const definition = this.#context.registry.storedForm('/pods');
    const conditions = pod.status?.conditions ?? [];
    if (definition === undefined || conditions.some((each) => each.type === 'PodScheduled' && each.message === message)) return;
    const condition: PodCondition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    const after = structuredClone(pod) as Pod & ApiObject;
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
   * Nanoseconds, as the names of others' events have them: lists come in the order of time. Half a millisecond early, as a node's
   * first event of the pod may come within the same one and must not have the same name.
   */
  #eventSuffix(): string {
    return (BigInt(this.#context.clock.now()) * 1_000_000n - 500_000n + BigInt(this.#events++ % 400_000)).toString(16);
  }
}
