import type { Pod } from '@nodeagent/api';
import type { MemoryContainer, MemorySandbox } from '@nodeagent/memory-runtime';
import type { History } from './history.js';

/** What there is at one moment, and what has happened since the one before. */
export interface Snapshot {
  /** Since the world began. */
  nowMs: number;
  wallMs: number;
  /** For how long nothing has gone wrong; 0 while something does. */
  quietMs: number;
  containers: readonly MemoryContainer[];
  sandboxes: readonly MemorySandbox[];
  /** As the API server has them, mirrors too. */
  pods: readonly Pod[];
  statics: readonly Pod[];
  /** `<pod UID>/<volume>` */
  mounts: readonly string[];
  /** UIDs of the pods that have a folder. */
  dirs: readonly string[];
  timers: number;
  /** Image pulls that run or wait. */
  pulls: number;
  /** Pods that the agent knows. */
  known: number;
  history: History;
}

/** What invariants remember from one moment to the next. */
export interface Memory {
  /** By UID/sandbox/name/attempt. */
  started: Map<string, string>;
  backOffs: Map<string, BackOff>;
  /** What the API server says that is not so, and since when. */
  untrue: Map<string, number>;
}

export interface BackOff {
  /** Of the last start. */
  era: number | undefined;
  /** How long the next start has to wait. */
  ms: number;
  /** When that began to hold; absent where it is not known what the agent knows. */
  updatedAt: number | undefined;
}

/** What must hold; says how it does not. */
export type Invariant = (snapshot: Snapshot, memory: Memory) => string[];
