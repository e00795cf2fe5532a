import type { Pod } from '../objects/pod.js';
import type { PodStatus } from '../objects/pod-status.js';
import type { Startable } from './lifecycle.js';

/** Holds the status that each pod reports: the one place that changes it. */
export interface StatusManager extends Startable {
  /** The last accepted status; not to be changed. */
  getPodStatus(uid: string): PodStatus | undefined;
  /** Takes a newly generated status; drops illegal transitions and what changes nothing. */
  setPodStatus(pod: Pod, status: PodStatus): void;
  setContainerReadiness(uid: string, containerId: string, ready: boolean): void;
  setContainerStartup(uid: string, containerId: string, started: boolean): void;
  /** The pod's containers are gone for good: what is still open becomes terminated. */
  terminatePod(pod: Pod): void;
  /** Forgets the pods that are not in the set. */
  removeOrphanedStatuses(known: ReadonlySet<string>): void;
}
