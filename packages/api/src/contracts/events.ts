import type { ObjectReference } from '../objects/meta.js';

export type EventType = 'Normal' | 'Warning';

/** Where subsystems report what a user should know (`v1` Events). Never blocks and never throws. */
export interface EventRecorder {
  /** `annotations` are for programs: they become the event's own. */
  event(object: ObjectReference, type: EventType, reason: string, message: string, annotations?: Readonly<Record<string, string>>): void;
}

/** Records nothing: the default everywhere. */
export const noEvents: EventRecorder = { event() {} };
