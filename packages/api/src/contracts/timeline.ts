/**
 * What an entry of the time line is about. `config`: a source added, changed or removed a pod; `lifecycle`: what the pod lifecycle event
 * generator found; `sync`: what a pod worker decided and what came of it; `probe`: a probe's result changed; `status`: a pod reports another
 * phase or readiness; `eviction` and `gc`: something had to go; `node`: the runtime or the API server came or went; `event`: any other event.
 */
export type TimelineKind = 'config' | 'lifecycle' | 'sync' | 'probe' | 'status' | 'eviction' | 'gc' | 'node' | 'event';

/** One thing that happened on a node, for people. It has no value of an environment variable, secret or command in it. */
export interface TimelineEntry {
  /** Milliseconds since 1970. */
  time: number;
  kind: TimelineKind;
  /** Absent for what is about the node. */
  pod?: { uid: string; namespace: string; name: string };
  /** One sentence or less. */
  text: string;
  /** Whether somebody should have a look. */
  warning?: boolean;
  /** The same for programs, such as `{ event: 'ContainerDied', container: 'main', exitCode: 1 }`. */
  fields?: Readonly<Record<string, string | number | boolean>>;
}
