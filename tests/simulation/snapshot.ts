import type { Pod } from '@nodeagent/api';
import type { MemoryContainer, MemorySandbox } from '@nodeagent/memory-runtime';
import type { Waiting } from './fault-bounds.js';
import type { History } from './history.js';

/** The state at one time, and the changes since the previous snapshot. */
export interface Snapshot {
  /** Since the start of the simulation. */
  nowMs: number;
  wallMs: number;
  /** Time since then in which no fault blocked what waits. */
  unblockedMs(waiting: Waiting, sinceMs: number): number;
  containers: readonly MemoryContainer[];
  sandboxes: readonly MemorySandbox[];
  /** The pods of the API server, mirror pods included. */
  pods: readonly Pod[];
  statics: readonly Pod[];
  /** `<pod UID>/<volume>` */
  mounts: readonly string[];
  /** UIDs of the pods that have a folder. */
  dirs: readonly string[];
  /** UIDs of the pods that have a cgroup. */
  cgroups: readonly string[];
  timers: number;
  /** Image pulls that run or wait. */
  pulls: number;
  /** Thousandths of CPUs and of bytes that the node's pods can request. */
  allocatable: { cpu: number; memory: number };
  /** The number of pods of the agent. */
  known: number;
  /** UIDs of the pods that the agent admitted, or got deleted. */
  admitted: ReadonlySet<string>;
  /** UIDs of static pods that have terminated or that the agent rejected: they may have no mirror pod. */
  endedStatics: ReadonlySet<string>;
  /** Calls that the agent repeated too fast since the previous snapshot. */
  repeatedCalls: readonly string[];
  history: History;
}

/** State of the invariants between snapshots. */
export interface Memory {
  /** By UID/sandbox/name/attempt. */
  started: Map<string, string>;
  backOffs: Map<string, BackOff>;
  /** Wrong statuses of the API server, and since when. */
  untrue: Map<string, number>;
  /** Terminated pods that have a cgroup, and since when. */
  leftCgroups: Map<string, number>;
  /** Running containers of terminated pods, and since when. */
  runningAfterEnd: Map<string, number>;
  /** When a running container was not running yet. */
  notBefore: Map<string, Memory['previous']>;
  /** Since when the liveness probe of a running container has failed as often as its threshold. */
  failingSince: Map<string, number>;
  /** UID/type of the readiness gates whose condition was true. */
  openedGates: Set<string>;
  /** The pods that the agent of this number got and did not reject, in its order: by UID, whether the pod was deleted before. */
  podsOfAgent: { era: number; deletedBefore: Map<string, boolean> };
  /** The time of the previous snapshot, and the history's era then. */
  previous: { atMs: number; era: number };
  /** UID/generation of the pods whose rejection by a previous agent was reported with a resize as observed, while they run unresized. */
  claimedByRejection: Set<string>;
}

export interface BackOff {
  /** Of the last start. */
  era: number | undefined;
  /** The back-off of the next start. */
  ms: number;
  /** When the back-off was updated; absent if the agent's state is unknown. */
  updatedAt: number | undefined;
}

/** Returns a description of each violation. */
export type Invariant = (snapshot: Snapshot, memory: Memory) => string[];

/** The runtime's id of a container, from that of a status: `<runtime>://<id>`. */
export const runtimeId = (containerID = ''): string => containerID.slice(containerID.lastIndexOf('/') + 1);
