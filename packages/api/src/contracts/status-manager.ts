import type { Pod } from '../objects/pod.js';
import type { PodStatus } from '../objects/pod-status.js';
import type { Startable } from './lifecycle.js';

/** Told of each accepted status, after it is stored; of undefined when the status was dropped. */
export type StatusListener = (uid: string, status: PodStatus | undefined) => void;

/** Holds the status that each pod reports: the one place that changes it. */
export interface StatusManager extends Startable {
  /** The last accepted status; not to be changed. The uid may be a mirror pod's. */
  getPodStatus(uid: string): PodStatus | undefined;
  /** Takes a newly generated status; drops what changes nothing, and with an error in the log what a pod may not do. */
  setPodStatus(pod: Pod, status: PodStatus): void;
  /** A probe's result, for the container with the id `<runtime>://<id>`. Ignored for what is not known, or known already. */
  setContainerReadiness(uid: string, containerId: string, ready: boolean): void;
  /** As {@link setContainerReadiness}, for `started`. */
  setContainerStartup(uid: string, containerId: string, started: boolean): void;
  /** The pod's containers are gone for good: what is still open becomes terminated. */
  terminatePod(pod: Pod): void;
  /** Forgets the pods that are not in the set. */
  removeOrphanedStatuses(known: ReadonlySet<string>): void;
  /** Says that the pod's sandbox is ready, before the next full status: condition `PodReadyToStartContainers`. */
  setPodReadyToStartContainers(pod: Pod): void;
  /** Calls back on each accepted status, synchronously and in order; returns what ends it. A listener that throws is logged. */
  onStatus(listener: StatusListener): () => void;
}
