/** Values of containers by the pod's UID and the container's name, which outlive restarts of the container. */
export interface ContainerTable<T> {
  set(podUID: string, containerName: string, value: T): void;
  get(podUID: string, containerName: string): T | undefined;
  /** Records the id of a created container. */
  addId(podUID: string, containerName: string, containerId: string): void;
  /** Removes an id, and the value with the last id of that name. */
  removeId(containerId: string): void;
}

export function createContainerTable<T>(): ContainerTable<T> {
  const values = new Map<string, Map<string, T>>();
  const names = new Map<string, { podUID: string; containerName: string }>();
  return {
    set(podUID, containerName, value) {
      const ofPod = values.get(podUID) ?? new Map<string, T>();
      values.set(podUID, ofPod.set(containerName, value));
    },
    get: (podUID, containerName) => values.get(podUID)?.get(containerName),
    addId: (podUID, containerName, containerId) => void names.set(containerId, { podUID, containerName }),
    removeId(containerId) {
      const removed = names.get(containerId);
      if (removed === undefined) return;
      names.delete(containerId);
      const { podUID, containerName } = removed;
      for (const each of names.values()) if (each.podUID === podUID && each.containerName === containerName) return;
      const ofPod = values.get(podUID);
      ofPod?.delete(containerName);
      if (ofPod?.size === 0) values.delete(podUID);
    },
  };
}
