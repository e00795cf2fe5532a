import type { Clock, EventRecorder, EventType, ObjectReference } from '@nodeagent/api';

/** An event as it was recorded. */
export interface RecordedEvent {
  /** Milliseconds since 1970. */
  at: number;
  object: ObjectReference;
  type: EventType;
  reason: string;
  message: string;
}

/** Passes events on and remembers each pod's last one. */
export interface PodEvents extends EventRecorder {
  last(podUid: string): RecordedEvent | undefined;
  /** Forgets the pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
}

export function createPodEvents(clock: Clock, next: EventRecorder, onEvent: (event: RecordedEvent) => void): PodEvents {
  const lastEvents = new Map<string, RecordedEvent>();
  return {
    event(object, type, reason, message) {
      const recorded = { at: clock.now(), object, type, reason, message };
      if (object.kind === 'Pod' && object.uid) lastEvents.set(object.uid, recorded);
      next.event(object, type, reason, message);
      onEvent(recorded);
    },
    last: (podUid) => lastEvents.get(podUid),
    retain(known) {
      for (const uid of lastEvents.keys()) if (!known.has(uid)) lastEvents.delete(uid);
    },
  };
}
