import type { ObjectReference } from '../objects/meta.js';

export type EventType = 'Normal' | 'Warning';

/** Where subsystems report what a user should know (`v1` Events). Never blocks and never throws. */
export interface EventRecorder {
  /**
   * `annotations` are for programs: they become the event's own. `hint` says what the user can do about it; it stays beside the kubelet's
   * message, and the API server does not receive it.
   */
  event(
    object: ObjectReference,
    type: EventType,
    reason: string,
    message: string,
    annotations?: Readonly<Record<string, string>>,
    hint?: string,
  ): void;
}

/** Records nothing: the default everywhere. */
export const noEvents: EventRecorder = { event() {} };
