import type { Pod } from '../objects/pod.js';
import type { PodStatus } from '../objects/pod-status.js';
import type { Startable } from './lifecycle.js';

/** Told of each accepted status, after it is stored; of undefined when the status was dropped. */
export type StatusListener = (uid: string, status: PodStatus | undefined) => void;

/** Holds the status that each pod reports: the one place that changes it. */
export interface StatusManager extends Startable {
  /** The last accepted status; not to be changed, and never changed later. The uid may be a mirror pod's. */
  getPodStatus(uid: string): PodStatus | undefined;
  /**
   * Takes a newly generated status; drops what changes nothing, and with an error in the log what a pod may not do: that a terminated
   * container runs again which the restart policy does not restart. Keeps the start time, and the transition time of each condition whose
   * `status` is the same. Changes neither argument.
   */
  setPodStatus(pod: Pod, status: PodStatus): void;
  /**
   * A probe's result, for the container with the id `<runtime>://<id>`; `Ready` and `ContainersReady` follow. Ignored for what is not
   * known, or known already.
   */
  setContainerReadiness(uid: string, containerId: string, ready: boolean): void;
  /** As {@link setContainerReadiness}, for `started`; no condition follows. */
  setContainerStartup(uid: string, containerId: string, started: boolean): void;
  /** The pod's containers are gone for good: what is still open becomes terminated, and the phase Failed unless the pod is static. */
  terminatePod(pod: Pod): void;
  /** Forgets the pods that are not in the set. */
  removeOrphanedStatuses(known: ReadonlySet<string>): void;
  /** Says that the pod's sandbox is ready, before the next full status: condition `PodReadyToStartContainers`. Idempotent. */
  setPodReadyToStartContainers(pod: Pod): void;
  /** Calls back on each accepted status, synchronously and in order; returns what ends it. A listener that throws is logged. */
  onStatus(listener: StatusListener): () => void;
}
