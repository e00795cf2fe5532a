import type { Pod } from '../objects/pod.js';
import type { Channel } from './channel.js';

export type ProbeResult = 'Success' | 'Failure' | 'Unknown';

/**
 * Last results by container id, which is the runtime's own, without `<runtime>://`; undefined if never probed. Asked by who decides on
 * restarts, readiness and start-up.
 */
export interface ProbeResults {
  liveness(containerId: string): ProbeResult | undefined;
  readiness(containerId: string): ProbeResult | undefined;
  startup(containerId: string): ProbeResult | undefined;
}

/** A probe's result became known or changed. */
export interface ProbeUpdate {
  type: 'Liveness' | 'Readiness' | 'Startup';
  podUid: string;
  /** As in the status, `<runtime>://<id>`. */
  containerId: string;
  result: ProbeResult;
}

/** Updates for one consumer, the sync loop; bounded, because of each probe only the latest one waits. */
export type ProbeUpdates = Pick<Channel<ProbeUpdate>, 'poll' | 'onOffer'>;

/** What the status of one pod needs to know of its probes; here container ids are as in the status, `<runtime>://<id>`. */
export interface ProbeView extends Pick<ProbeResults, 'readiness' | 'startup'> {
  /** Whether a probe of this kind is being run for the pod's container. */
  hasWorker(containerName: string, kind: 'readiness' | 'startup'): boolean;
  /**
   * Clock time in milliseconds at which probing began. A container that had been running before keeps its readiness until its first
   * probe, so that a restart of the agent makes no pod unready.
   */
  startedAt: number;
}

/**
 * Runs the probes of pods. Never blocks, and probes do not wait for each other. Liveness and readiness are probed once the pod's status
 * reports the container as started, start-up until then. A result changes once its threshold is reached; a restarted container has its own.
 */
export interface ProbeManager {
  readonly results: ProbeResults;
  readonly updates: ProbeUpdates;
  view(pod: Pod): ProbeView;
  /** Begins the probes of the pod that are not being run; called at every sync. Idempotent. */
  addPod(pod: Pod): void;
  /** Makes the readiness probes of these containers now instead of at their next time. Ignores containers without one. */
  probeNow(pod: Pod, containerNames: readonly string[]): void;
  /** The pod is being ended: nothing may restart its containers, but it goes on telling whether it is ready. Idempotent. */
  stopLivenessAndStartup(pod: Pod): void;
  /** Ends all its probes and forgets their results. Idempotent. */
  removePod(pod: Pod): void;
  /** As {@link removePod}, for the pods that are not in the set. Idempotent. */
  cleanupPods(desired: ReadonlySet<string>): void;
  /** Ends all probes, cutting short those in flight; resolves when none is left. Idempotent. */
  stop(): Promise<void>;
}
