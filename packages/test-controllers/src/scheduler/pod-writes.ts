import type { Clock, Pod, PodCondition } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { ControllerObjects, StoredObject, Writer } from '../controller-objects.js';
import type { EventWriter } from '../event-writer.js';
import { withCondition } from '../with-condition.js';
import type { ObjectWrite } from './framework/plugin.js';

const component = 'default-scheduler';
const writer: Writer = { user: { username: 'system:kube-scheduler' }, fieldManager: 'kube-scheduler' };

/** Longest message of an event. */
const maxNote = 1024;

/** What the scheduler writes about pods. */
export class PodWrites {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #events: EventWriter;

  constructor({ objects, clock, events }: { objects: ControllerObjects; clock: Clock; events: EventWriter }) {
    this.#objects = objects;
    this.#clock = clock;
    this.#events = events;
  }

  bind(pod: Pod & StoredObject, nodeName: string): void {
    this.#objects.bind(pod, nodeName, writer);
    const { namespace, name } = pod.metadata;
    this.#record(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${nodeName}`);
  }

  /** Reports why a pod has no node: the event after each attempt, the condition when it changes; `nominatedNodeName` of '' ends a nomination. */
  refuse(pod: Pod & StoredObject, reason: 'Unschedulable' | 'SchedulerError', message: string, nominatedNodeName?: string): void {
    const { conditions = [], nominatedNodeName: before } = pod.status ?? {};
    this.#record(pod, 'Warning', 'FailedScheduling', message.length > maxNote ? `${message.slice(0, maxNote - 4)} ...` : message);
    const isKnown = conditions.some((each) => each.type === 'PodScheduled' && each.message === message && each.reason === reason);
    const isNominated = nominatedNodeName === undefined || nominatedNodeName === (before ?? '');
    if (isKnown && isNominated) return;
    this.#setStatus(pod, { type: 'PodScheduled', status: 'False', reason, message }, nominatedNodeName);
  }

  /** Ends a pod in favour of another of higher priority. */
  preempt(victim: Pod, preemptor: Pod, nodeName: string): void {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${preemptor.spec?.schedulerName ?? component}: preempting to accommodate a higher priority pod`,
    };
    const stored = this.#current(victim);
    if (!stored || stored.metadata.deletionTimestamp) return;
    this.#setStatus(stored, condition);
    const marked = this.#current(victim);
    if (marked) this.#objects.delete('/pods', marked, { user: writer.user.username });
    this.#record(stored, 'Normal', 'Preempted', `Preempted by pod ${preemptor.metadata?.uid ?? ''} on node ${nodeName}`);
  }

  clearNomination(pod: Pod): void {
    const stored = this.#current(pod);
    if (stored) this.#setStatus(stored, undefined, '');
  }

  /** Writes another object, on top of its current state. */
  write({ storage, after, subresource }: ObjectWrite): void {
    const { namespace, name = '' } = after.metadata;
    const current = this.#objects.get(storage, namespace, name);
    if (!current) this.#objects.create(storage, after, { ...writer, namespace: namespace ?? '' });
    else this.#objects.overwrite(storage, current, after, { ...writer, ...(subresource && { subresource }) });
  }

  #current({ metadata }: Pod): (Pod & StoredObject) | undefined {
    return this.#objects.get('/pods', metadata?.namespace, metadata?.name ?? '') as (Pod & StoredObject) | undefined;
  }

  #setStatus(pod: Pod & StoredObject, condition: PodCondition | undefined, nominatedNodeName?: string): void {
    const { nominatedNodeName: before, ...status } = pod.status ?? {};
    const nominated = nominatedNodeName ?? before;
    const { generation } = pod.metadata;
    const observed = condition && { ...condition, ...(generation !== undefined && { observedGeneration: generation }) };
    const after = {
      ...status,
      ...(observed && { conditions: withCondition(status.conditions ?? [], observed, formatTime(this.#clock.now())) }),
      ...(nominated && { nominatedNodeName: nominated }),
    };
    this.#objects.overwrite('/pods', pod, { ...pod, status: after }, { ...writer, subresource: 'status' });
  }

  #record(pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.write(pod, { component, type, reason, message }, writer);
  }
}
