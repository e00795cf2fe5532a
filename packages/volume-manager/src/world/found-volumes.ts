/** Which volumes, and for which pods, a restart found on disk. A volume stays one that was found until it is forgotten. */
export function createFoundVolumes() {
  const podsByVolume = new Map<string, Set<string>>();
  return {
    add(podUid: string, volumeName: string): void {
      podsByVolume.set(volumeName, (podsByVolume.get(volumeName) ?? new Set()).add(podUid));
    },
    /** The pod's volume was mounted since. */
    settlePod: (podUid: string, volumeName: string) => void podsByVolume.get(volumeName)?.delete(podUid),
    delete: (volumeName: string) => void podsByVolume.delete(volumeName),
    has: (volumeName: string) => podsByVolume.has(volumeName),
    hasPod: (podUid: string, volumeName: string) => podsByVolume.get(volumeName)?.has(podUid) ?? false,
  };
}
