import type { Pod } from '../objects/pod.js';
import type { PodStatus } from '../objects/pod-status.js';
import type { Startable } from './lifecycle.js';

/** Called after each accepted status is stored, and with undefined after a status was removed. */
export type StatusListener = (uid: string, status: PodStatus | undefined) => void;

/** Stores the status that each pod reports. No other component changes it. */
export interface StatusManager extends Startable {
  /** The last accepted status, which is immutable. The UID may be that of a mirror pod. */
  getPodStatus(uid: string): PodStatus | undefined;
  /**
   * Stores a newly generated status. Ignores an unchanged one. Refuses an invalid transition and logs an error: a terminated container that
   * the restart policy does not restart may not run again. Keeps the start time, and the transition time of each condition whose `status`
   * is unchanged. Changes neither argument.
   */
  setPodStatus(pod: Pod, status: PodStatus): void;
  /**
   * Sets the readiness of the container with the ID `<runtime>://<id>` and updates the conditions `Ready` and `ContainersReady`. Ignores an
   * unknown pod or container, and an unchanged value.
   */
  setContainerReadiness(uid: string, containerId: string, ready: boolean): void;
  /** As {@link setContainerReadiness}, for the field `started`; changes no condition. */
  setContainerStartup(uid: string, containerId: string, started: boolean): void;
  /**
   * Called when the pod's containers have terminated for good: sets the remaining container statuses to terminated, and the phase to Failed
   * unless the pod is static.
   */
  terminatePod(pod: Pod): void;
  /** Removes the statuses of the pods that are not in the set. */
  removeOrphanedStatuses(known: ReadonlySet<string>): void;
  /** Sets the condition `PodReadyToStartContainers` as soon as the pod's sandbox is ready, before the next full status. Idempotent. */
  setPodReadyToStartContainers(pod: Pod): void;
  /**
   * Calls the listener on each accepted status, synchronously and in order. Returns a function that removes the listener. Logs the error of
   * a listener that throws.
   */
  onStatus(listener: StatusListener): () => void;
}
