import type { Pod } from '../objects/pod.js';

export type ProbeResult = 'Success' | 'Failure' | 'Unknown';

/** Last results by container id; undefined if never probed. Asked by who decides on restarts, readiness and start-up. */
export interface ProbeResults {
  liveness(containerId: string): ProbeResult | undefined;
  readiness(containerId: string): ProbeResult | undefined;
  startup(containerId: string): ProbeResult | undefined;
}

export interface ProbeManager {
  readonly results: ProbeResults;
  addPod(pod: Pod): void;
  stopLivenessAndStartup(pod: Pod): void;
  removePod(pod: Pod): void;
  /** Ends the probes of pods that are not in the set. */
  cleanupPods(desired: ReadonlySet<string>): void;
}
