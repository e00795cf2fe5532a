import type { Clock, EventRecorder, EventType, ObjectReference } from '@nodeagent/api';

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

/** An event with how often it came up: `at` is the last time. */
export interface CountedEvent extends RecordedEvent {
  count: number;
  /** Milliseconds since 1970. */
  firstAt: number;
}

/** Different events that are kept of a pod. */
export const eventsKept = 25;

/** Passes events on and remembers each pod's last ones. */
export interface PodEvents extends EventRecorder {
  last(podUid: string): RecordedEvent | undefined;
  /** The last {@link eventsKept} different events of the pod, the oldest first; the same one again counts up and becomes the newest. */
  of(podUid: string): CountedEvent[];
  /** Forgets the pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
}

export function createPodEvents(
  clock: Clock,
  next: readonly (EventRecorder | undefined)[],
  onEvent: (event: RecordedEvent) => void,
): PodEvents {
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
      for (const recorder of next) recorder?.event(object, type, reason, message, annotations, hint);
      onEvent(recorded);
    },
    last: (podUid) => [...(kept.get(podUid)?.values() ?? [])].at(-1),
    of: (podUid) => Array.from(kept.get(podUid)?.values() ?? [], (event) => ({ ...event })),
    retain(known) {
      for (const uid of kept.keys()) if (!known.has(uid)) kept.delete(uid);
    },
  };
}

function addEvent(events: Map<string, CountedEvent>, event: RecordedEvent): void {
  const { object, type, reason, message } = event;
  const key = [object.fieldPath, type, reason, message].join('\n');
  const before = events.get(key);
  events.delete(key);
  events.set(key, { ...event, count: (before?.count ?? 0) + 1, firstAt: before?.firstAt ?? event.at });
  const [oldest] = events.keys();
  if (events.size > eventsKept && oldest !== undefined) events.delete(oldest);
}
