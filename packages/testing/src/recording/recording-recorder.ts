import type { EventRecorder, EventType, ObjectReference } from '@nodeagent/api';

/** A recorded event. */
export interface ReportedEvent {
  object: ObjectReference;
  type: EventType;
  reason: string;
  message: string;
  annotations?: Readonly<Record<string, string>>;
}

/** An event recorder that keeps its events. */
export interface RecordingRecorder extends EventRecorder {
  /** The events, oldest first. */
  readonly events: readonly ReportedEvent[];
  /** The events as text: `Warning BackOff Back-off restarting failed container`. */
  readonly lines: string[];
  clear(): void;
}

/** Records the last `limit` events (default 10,000). */
export function createRecordingRecorder(limit = 10_000): RecordingRecorder {
  const events: ReportedEvent[] = [];
  return {
    events,
    get lines() {
      return events.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
    },
    event(object, type, reason, message, annotations) {
      if (events.length >= limit) events.shift();
      events.push({ object, type, reason, message, ...(annotations && { annotations }) });
    },
    clear() {
      events.length = 0;
    },
  };
}
