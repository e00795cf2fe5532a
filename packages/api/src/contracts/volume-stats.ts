import type { Pod } from '../objects/pod.js';
import type { VolumeStats } from '../objects/stats.js';

/** How full a pod's volumes are, in the order of its `volumes`. */
export interface PodVolumeStats {
  /** Those on the node's own disk that end with the pod (emptyDir without a medium, configMap): part of its `ephemeral-storage`. */
  ephemeral: readonly VolumeStats[];
  /** All others, whether they outlive the pod or not. */
  persistent: readonly VolumeStats[];
}

/** Tells how full volumes are. */
export interface VolumeStatsSource {
  /**
   * Measures the pod's mounted volumes now: walks folders and asks drivers, which takes up to two minutes. A volume that cannot be measured
   * is left out, a figure that its driver does not tell is 0. Rejects only with the signal's reason when it aborts.
   */
  volumeStats(pod: Pod, signal: AbortSignal): Promise<PodVolumeStats>;
}
