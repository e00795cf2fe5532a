import type { ObjectReference } from '../objects/meta.js';

export type EventType = 'Normal' | 'Warning';

/** Records Kubernetes Events (`v1`, `Event`). Never blocks and never throws. */
export interface EventRecorder {
  /**
   * `annotations` become the annotations of the Event. `hint` says what the user can do about it; it appears in local logs and pages only,
   * the API server does not receive it.
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

/** Discards all events. The default of every package. */
export const noEvents: EventRecorder = { event() {} };
