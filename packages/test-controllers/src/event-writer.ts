import type { Clock, ObjectMeta } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { ControllerObjects, Writer } from './controller-objects.js';

/** An event that a controller reports about an object. */
export interface ControllerEvent {
  /** Name of the controller, as `kubectl describe` shows it. */
  component: string;
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

/** The subject of an event. */
interface Subject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** Writes the events of all controllers of a server. */
export class EventWriter {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  #written = 0;

  constructor(objects: ControllerObjects, clock: Clock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** Events about objects without a namespace are in `default`. */
  write({ apiVersion, kind, metadata = {} }: Subject, event: ControllerEvent, writer: Writer): void {
    const { namespace, name = '', uid, resourceVersion } = metadata;
    const { component, type, reason, message } = event;
    const now = formatTime(this.#clock.now());
    const object = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${this.#suffix()}` },
      involvedObject: { apiVersion, kind, ...(namespace && { namespace }), name, uid, resourceVersion },
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
    };
    this.#objects.create('/events', object, { ...writer, namespace: namespace ?? 'default' });
  }

  /**
   * Nanoseconds, as in the names of other events, so that lists are in order of time. Half a millisecond early, because a node's
   * first event of the pod may be in the same millisecond and must have another name.
   */
  #suffix(): string {
    return (BigInt(this.#clock.now()) * 1_000_000n - 500_000n + BigInt(this.#written++ % 400_000)).toString(16);
  }
}
