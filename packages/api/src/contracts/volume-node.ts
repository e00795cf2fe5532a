/**
 * The volume manager's own operations on the node, outside of plugins: finding volumes from before a restart, subpaths and block devices.
 * Paths are absolute. All calls are idempotent.
 */
export interface VolumeNode {
  /** Names of the directories and symbolic links in a directory; empty if the directory does not exist. */
  list(path: string): Promise<string[]>;
  /** Unmounts and removes the remains of the volume's `subPath` mounts below `pods/<uid>/volume-subpaths/<specName>`. */
  cleanSubPaths(podUid: string, specName: string, signal: AbortSignal): Promise<void>;
  /** The other paths at which the device mounted at this path is mounted. */
  mountRefs(path: string): Promise<string[]>;
  /** Whether a process holds the device open. Called for device paths only. */
  isDeviceOpen(path: string): Promise<boolean>;
  /** Links the device into the pod's directory, bind-mounts it below the global path and locks it with a loop device. */
  mapBlockDevice(options: BlockMapping & { devicePath: string; signal: AbortSignal }): Promise<void>;
  /** Undoes {@link VolumeNode.mapBlockDevice} except for the link, which identifies the pod's device after a restart. */
  unmapBlockDevice(options: BlockMapping & { signal: AbortSignal }): Promise<void>;
  /** Removes the link as the last step of unmapping the pod's device. */
  removeBlockLink(mapping: BlockMapping): Promise<void>;
  /** Removes the global path of a device that no pod uses any more. */
  removeMapPath(path: string, signal: AbortSignal): Promise<void>;
  /** The paths at which the device of the global path is bind-mounted for pods. */
  blockRefs(globalMapPath: string): Promise<string[]>;
}

/** A raw block device of one pod. */
export interface BlockMapping {
  globalMapPath: string;
  podUid: string;
  /** The pod's directory that contains the link. */
  podPath: string;
  podLink: string;
}
