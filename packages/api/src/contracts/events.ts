import type { ObjectReference } from '../objects/meta.js';

export type EventType = 'Normal' | 'Warning';

/** Records Kubernetes Events (`v1`, `Event`). Never blocks and never throws. */
export interface EventRecorder {
  /**
   * `annotations` become the annotations of the Event. `hint` is advice for the user. It appears only in local logs and pages, and
   * is not sent to the API server.
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
