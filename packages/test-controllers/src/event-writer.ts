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

/** What a scheduler did or tried, by the reason of its event: a scheduler writes the newer form of events, of `events.k8s.io`. */
const schedulerActions: Readonly<Record<string, string | undefined>> = {
  Scheduled: 'Binding',
  FailedScheduling: 'Scheduling',
  Preempted: 'Preempting',
};

/** How long an equal event continues a series, and after which time it is written again. */
const [seriesMs, seriesRefreshMs] = [360_000, 1_800_000];

/** Equal events of the newer form. */
interface Series {
  namespace: string;
  /** Name of the event object. */
  name: string;
  count: number;
  lastObservedTime: string;
  /** Of the last event, in milliseconds since 1970. */
  at: number;
  writtenAt: number;
}

/** Writes the events of all controllers of a server: as in a cluster repeated ones are counted, similar ones aggregated, too many dropped. */
export class EventWriter {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #correlator = createEventCorrelator();
  /** The last event of each series of the newer form, the oldest first. */
  readonly #series = new Map<string, Series>();
  #written = 0;

  constructor(objects: ControllerObjects, clock: Clock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** Events about objects without a namespace are in `default`. */
  write(subject: Subject, event: ControllerEvent, writer: Writer): void {
    const action = writer.fieldManager === 'kube-scheduler' ? schedulerActions[event.reason] : undefined;
    if (action) {
      this.#writeNewer(this.#eventOf(subject, event), action, writer);
      return;
    }
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

  /** Without a count, but with a series from the second equal event on: written then, every half hour, and when it has ended. */
  #writeNewer(event: Event, action: string, writer: Writer): void {
    const { metadata, source, firstTimestamp: _first, lastTimestamp: _last, count: _count, ...rest } = event;
    const now = this.#clock.now();
    this.#endSeries(now, writer);
    const { namespace = '', name = '' } = metadata;
    const key = JSON.stringify([rest.involvedObject, rest.type, rest.reason, rest.reportingComponent]);
    const known = this.#series.get(key);
    const time = new Date(now).toISOString().replace('Z', '000Z');
    if (known) {
      const series = { ...known, count: known.count + 1, lastObservedTime: time, at: now };
      this.#series.delete(key);
      this.#series.set(key, series);
      if (series.count > 2 && now < series.writtenAt + seriesRefreshMs) return;
      series.writtenAt = now;
      if (this.#writeSeries(series, writer)) return;
    } else this.#series.set(key, { namespace, name, count: 1, lastObservedTime: time, at: now, writtenAt: now });
    const reportingInstance = `${source?.component}-kube-scheduler`;
    const times = { eventTime: time, firstTimestamp: null, lastTimestamp: null };
    this.#objects.create('/events', { ...rest, ...times, metadata, source: {}, reportingInstance, action } as StoredObject, {
      ...writer,
      namespace,
    });
  }

  /** Writes the last state of the series without an event for {@link seriesMs}, and forgets them. */
  #endSeries(now: number, writer: Writer): void {
    for (const [key, series] of this.#series) {
      if (series.at > now - seriesMs) break;
      if (series.at > series.writtenAt) this.#writeSeries(series, writer);
      this.#series.delete(key);
    }
  }

  /** Returns whether the event still exists. */
  #writeSeries({ namespace, name, count, lastObservedTime }: Series, writer: Writer): boolean {
    const before = this.#objects.get('/events', namespace, name);
    if (before) this.#objects.replace('/events', before, { ...before, series: { count, lastObservedTime } }, writer);
    return before !== undefined;
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
