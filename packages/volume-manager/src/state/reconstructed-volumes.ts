/** Volumes that were reconstructed from disk after a restart, and their pods. A volume stays in this set until it is removed. */
export function createReconstructedVolumes() {
  const podsByVolume = new Map<string, Set<string>>();
  return {
    add(podUid: string, volumeName: string): void {
      podsByVolume.set(volumeName, (podsByVolume.get(volumeName) ?? new Set()).add(podUid));
    },
    /** Call it when the pod's volume has been mounted. */
    markPodMounted: (podUid: string, volumeName: string) => void podsByVolume.get(volumeName)?.delete(podUid),
    delete: (volumeName: string) => void podsByVolume.delete(volumeName),
    has: (volumeName: string) => podsByVolume.has(volumeName),
    hasPod: (podUid: string, volumeName: string) => podsByVolume.get(volumeName)?.has(podUid) ?? false,
  };
}
