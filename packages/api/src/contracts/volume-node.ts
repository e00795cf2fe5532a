/**
 * What the manager itself does on the node beside its plugins: looks for what an earlier one left, and what belongs to no plugin. Paths
 * are absolute. All calls are idempotent.
 */
export interface VolumeNode {
  /** Names of the folders and links in a folder; empty if there is no such folder. */
  list(path: string): Promise<string[]>;
  /** Unmounts and removes what `subPath` mounts of the volume left below `pods/<uid>/volume-subpaths/<specName>`. */
  cleanSubPaths(podUid: string, specName: string, signal: AbortSignal): Promise<void>;
  /** Where else the device that is mounted at the path is mounted, the path itself left out. */
  mountRefs(path: string): Promise<string[]>;
  /** Whether anything holds the device open. Only asked for paths of devices. */
  isDeviceOpen(path: string): Promise<boolean>;
  /** Links the device into the pod's folder, binds it below the global path and holds it with a loop device. */
  mapBlockDevice(options: BlockMapping & { devicePath: string; signal: AbortSignal }): Promise<void>;
  /** Undoes {@link VolumeNode.mapBlockDevice} but for the link, by which the pod's device is found after a restart. */
  unmapBlockDevice(options: BlockMapping & { signal: AbortSignal }): Promise<void>;
  /** Removes the link, when nothing else is left of the pod's device. */
  removeBlockLink(mapping: BlockMapping): Promise<void>;
  /** Removes the global path of a device that no pod has any more. */
  removeMapPath(path: string, signal: AbortSignal): Promise<void>;
  /** Where the device of the global path is bound for pods. */
  blockRefs(globalMapPath: string): Promise<string[]>;
}

/** A raw block device of one pod. */
export interface BlockMapping {
  globalMapPath: string;
  podUid: string;
  /** The pod's folder with the link, and the link's name. */
  podPath: string;
  podLink: string;
}
