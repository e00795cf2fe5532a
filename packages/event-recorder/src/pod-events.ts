import { type Clock, type EventRecorder, type EventType, type ObjectReference, systemClock } from '@nodeagent/api';

/** An event as it was recorded. */
export interface RecordedEvent {
  /** Milliseconds since 1970. */
  at: number;
  object: ObjectReference;
  type: EventType;
  reason: string;
  message: string;
  /** What the user can do about it. */
  hint?: string;
}

/** An event with how often it was recorded: `at` is the last time. */
export interface CountedEvent extends RecordedEvent {
  count: number;
  /** Milliseconds since 1970. */
  firstAt: number;
}

/** Maximum number of different events kept for each pod. */
export const eventsKept = 25;

/** Passes events on and keeps the last ones of each pod in memory. */
export interface PodEvents extends EventRecorder {
  /** The pod's newest event. */
  last(podUid: string): RecordedEvent | undefined;
  /** Copies of the last {@link eventsKept} different events of the pod, the oldest first; a repeated one counts up and becomes the newest. */
  of(podUid: string): CountedEvent[];
  /** Drops the events of pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
}

export interface PodEventsOptions {
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now'>;
  /** Receive every event, in this order, those of other objects too. Default: none. */
  recorders?: readonly EventRecorder[];
  /** Called with every event after the recorders. Must not throw. Default: none. */
  onEvent?(event: RecordedEvent): void;
}

/** Fans events out to `recorders` and `onEvent`, and keeps the last ones of each pod. Does no I/O and starts no timer. */
export function createPodEvents(options: PodEventsOptions = {}): PodEvents {
  const { clock = systemClock, recorders = [], onEvent } = options;
  /** By pod, then by what is the same event; the newest last. */
  const kept = new Map<string, Map<string, CountedEvent>>();
  return {
    event(object, type, reason, message, annotations, hint) {
      const recorded: RecordedEvent = { at: clock.now(), object, type, reason, message, ...(hint !== undefined && { hint }) };
      if (object.kind === 'Pod' && object.uid) {
        const events = kept.get(object.uid) ?? new Map<string, CountedEvent>();
        kept.set(object.uid, events);
        addEvent(events, recorded);
      }
      for (const recorder of recorders) recorder.event(object, type, reason, message, annotations, hint);
      onEvent?.(recorded);
    },
    last: (podUid) => [...(kept.get(podUid)?.values() ?? [])].at(-1),
    of: (podUid) => Array.from(kept.get(podUid)?.values() ?? [], (event) => ({ ...event })),
    retain(known) {
      for (const uid of kept.keys()) if (!known.has(uid)) kept.delete(uid);
    },
  };
}

/** Events of one container, type, reason and message are the same event. */
function addEvent(events: Map<string, CountedEvent>, event: RecordedEvent): void {
  const { object, type, reason, message } = event;
  const key = [object.fieldPath, type, reason, message].join('\n');
  const before = events.get(key);
  events.delete(key);
  events.set(key, { ...event, count: (before?.count ?? 0) + 1, firstAt: before?.firstAt ?? event.at });
  const [oldest] = events.keys();
  if (events.size > eventsKept && oldest !== undefined) events.delete(oldest);
}
