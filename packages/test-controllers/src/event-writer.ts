import type { Clock, Event, ObjectMeta } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import { createEventCorrelator } from '@nodeagent/event-recorder/decisions';
import type { ControllerObjects, StoredObject, Writer } from './controller-objects.js';

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

/** Writes the events of all controllers of a server: as in a cluster repeated ones are counted, similar ones aggregated, too many dropped. */
export class EventWriter {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #correlator = createEventCorrelator();
  #written = 0;

  constructor(objects: ControllerObjects, clock: Clock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** Events about objects without a namespace are in `default`. */
  write(subject: Subject, event: ControllerEvent, writer: Writer): void {
    const correlation = this.#correlator.correlate(this.#eventOf(subject, event), this.#clock.monotonic());
    if (correlation.action === 'drop') return;
    const { namespace = '', name = '' } = correlation.event.metadata;
    const before = correlation.action === 'patch' ? this.#objects.get('/events', namespace, name) : undefined;
    if (before && correlation.action === 'patch') {
      this.#objects.replace('/events', before, { ...before, ...correlation.patch }, writer);
      return;
    }
    // The earlier event has expired.
    const { resourceVersion: _, ...metadata } = correlation.event.metadata;
    this.#objects.create('/events', { ...correlation.event, metadata } as StoredObject, { ...writer, namespace });
  }

  #eventOf({ apiVersion, kind, metadata = {} }: Subject, { component, type, reason, message }: ControllerEvent): Event {
    const { namespace, name = '', uid, resourceVersion } = metadata;
    const now = formatTime(this.#clock.now());
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${this.#suffix()}`, namespace: namespace ?? 'default' },
      involvedObject: {
        ...(apiVersion && { apiVersion }),
        ...(kind && { kind }),
        ...(namespace && { namespace }),
        name,
        ...(uid && { uid }),
        ...(resourceVersion && { resourceVersion }),
      },
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
  }

  /**
   * Nanoseconds, as in the names of other events, so that lists are in order of time. Half a millisecond early, because a node's
   * first event of the pod may be in the same millisecond and must have another name.
   */
  #suffix(): string {
    return (BigInt(this.#clock.now()) * 1_000_000n - 500_000n + BigInt(this.#written++ % 400_000)).toString(16);
  }
}
