/**
 * The kind of a timeline entry. `config`: a source added, changed or removed a pod; `lifecycle`: a pod lifecycle event; `sync`: a pod
 * worker's decision and its result; `probe`: a probe's result changed; `status`: a pod's phase or readiness changed; `eviction` and `gc`: a
 * pod was evicted, or images or containers were removed; `node`: the runtime or the API server became reachable or unreachable; `event`:
 * any other event.
 */
export type TimelineKind = 'config' | 'lifecycle' | 'sync' | 'probe' | 'status' | 'eviction' | 'gc' | 'node' | 'event';

/** One entry of the node's timeline, for users. It contains no values of environment variables, secrets or commands. */
export interface TimelineEntry {
  /** Milliseconds since 1970. */
  time: number;
  kind: TimelineKind;
  /** Absent for an entry about the node. */
  pod?: { uid: string; namespace: string; name: string };
  /** One sentence or less. */
  text: string;
  /** Whether the entry reports a problem. */
  warning?: boolean;
  /** The entry's values for programs, such as `{ event: 'ContainerDied', container: 'main', exitCode: 1 }`. */
  fields?: Readonly<Record<string, string | number | boolean>>;
}
