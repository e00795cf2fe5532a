import type { Pod } from '../objects/pod.js';
import type { VolumeStats } from '../objects/stats.js';

/** The usage of a pod's volumes, in the order of its `volumes`. */
export interface PodVolumeStats {
  /** Volumes on the node's disk that are removed with the pod (emptyDir without a medium, configMap): part of its `ephemeral-storage`. */
  ephemeral: readonly VolumeStats[];
  /** All other volumes. */
  persistent: readonly VolumeStats[];
}

/** Measures the usage of volumes. */
export interface VolumeStatsSource {
  /**
   * Measures the pod's mounted volumes by walking directories and calling drivers, which takes up to two minutes. A volume that was measured a short
   * time ago, or does not answer, has its last usage, with its `time`. Omits a volume that it cannot measure; a value that the driver does not report
   * is 0. Rejects only with the signal's reason when it aborts.
   */
  volumeStats(pod: Pod, signal: AbortSignal): Promise<PodVolumeStats>;
}
