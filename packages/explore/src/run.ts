import type { KubeObject } from '@nodeagent/api';
import type { Schedule } from './disturbance.js';
import type { Operation } from './operation.js';
import type { Delivery } from './watch-gate.js';

/** A write of the controller that the API server has processed. */
export interface ControllerWrite {
  /** Virtual time since the start of the run, in milliseconds. */
  readonly at: number;
  readonly verb: string;
  /** As {@link Operation.resource}. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name: string;
  /** The status code of the answer. */
  readonly status: number;
  /** The object in the answer, if it is one. */
  readonly object?: KubeObject;
}

/** An object at the end of a run, with its resource. */
export interface EndObject {
  /** As {@link Operation.resource}. */
  readonly resource: string;
  readonly object: KubeObject;
}

/** What happened in one run of the scenario. */
export interface Run {
  readonly schedule: Schedule;
  /** Every request of the controller. */
  readonly operations: readonly Operation[];
  /** Every event that its watches delivered. */
  readonly deliveries: readonly Delivery[];
  /** Its writes, also those whose answer was lost. */
  readonly writes: readonly ControllerWrite[];
  /** The objects at the end, of the resources that the controller has read or written. */
  readonly end: readonly EndObject[];
  /** Virtual time from the start to the end, in milliseconds. */
  readonly endedAt: number;
  /** Keys of the changes that others made at `conflict`: an annotation of the object with this UID. */
  readonly touches: readonly { uid: string; annotation: string }[];
  /** Why the controller does not run at the end, if it does not. */
  readonly startError?: string;
  /** What happened, with times: requests, disturbances, starts. */
  readonly timeline: readonly string[];
}

/** A rule that every run must keep. */
export interface Invariant {
  readonly name: string;
  /** Returns what breaks the rule; undefined if nothing does. `undisturbed` is the run without disturbances. */
  check(run: Run, undisturbed: Run): string | undefined;
}

/** A broken invariant. */
export interface Broken {
  invariant: string;
  message: string;
}
