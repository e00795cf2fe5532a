import type { Pod } from '../objects/pod.js';
import type { Channel } from './channel.js';

export type ProbeResult = 'Success' | 'Failure' | 'Unknown';

/**
 * Last probe results by container ID (without `<runtime>://`); undefined if not probed yet. Used for decisions on restarts, readiness and
 * startup.
 */
export interface ProbeResults {
  liveness(containerId: string): ProbeResult | undefined;
  readiness(containerId: string): ProbeResult | undefined;
  startup(containerId: string): ProbeResult | undefined;
}

/** The first or a changed result of a probe. */
export interface ProbeUpdate {
  type: 'Liveness' | 'Readiness' | 'Startup';
  podUid: string;
  /** As in the status, `<runtime>://<id>`. */
  containerId: string;
  result: ProbeResult;
}

/** Updates for one consumer, the sync loop. Bounded, because only the latest update of each probe is kept. */
export type ProbeUpdates = Pick<Channel<ProbeUpdate>, 'poll' | 'onOffer'>;

/** The probe results that a pod's status needs. Container IDs are as in the status, `<runtime>://<id>`. */
export interface ProbeView extends Pick<ProbeResults, 'readiness' | 'startup'> {
  /** Whether a worker runs a probe of this kind for the pod's container. */
  hasWorker(containerName: string, kind: 'readiness' | 'startup'): boolean;
  /**
   * Wall-clock time in milliseconds at which probing started. A container that started earlier keeps its readiness until its first probe,
   * so that a restart of the agent does not make pods unready.
   */
  startedAt: number;
}

/**
 * Runs the probes of pods. Never blocks; probes run independently. Startup probes run until the pod's status reports the container as
 * started, liveness and readiness probes from then on. A result changes when its threshold is reached. A restarted container gets new
 * results.
 */
export interface ProbeManager {
  readonly results: ProbeResults;
  readonly updates: ProbeUpdates;
  view(pod: Pod): ProbeView;
  /** Starts the pod's probes that are not running. Called at every sync. Idempotent. */
  addPod(pod: Pod): void;
  /** Runs the readiness probes of these containers now instead of at the next period. Ignores containers without one. */
  probeNow(pod: Pod, containerNames: readonly string[]): void;
  /**
   * Stops the liveness and startup probes of a terminating pod, so that they do not restart its containers. Readiness probes continue.
   * Idempotent.
   */
  stopLivenessAndStartup(pod: Pod): void;
  /** Stops all probes of the pod and removes their results. Idempotent. */
  removePod(pod: Pod): void;
  /** As {@link removePod}, for the pods that are not in the set. Idempotent. */
  cleanupPods(desired: ReadonlySet<string>): void;
  /** Stops all probes and aborts those in flight; resolves when none is left. Idempotent. */
  stop(): Promise<void>;
}
