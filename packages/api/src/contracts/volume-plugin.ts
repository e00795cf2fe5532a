import type { Quantity } from '../helpers/quantity.js';
import type { Pod } from '../objects/pod.js';
import type { PersistentVolume } from '../objects/storage.js';
import type { Volume } from '../objects/volume.js';

/** The volume to mount: one from the pod's spec, or the persistent volume of its claim. Immutable. */
export interface VolumeSpec {
  /** The volume of the pod's spec; absent if only the persistent volume is known. */
  volume?: Volume;
  persistentVolume?: PersistentVolume;
  /** `readOnly` of the claim source in the pod's spec. */
  readOnly: boolean;
  /** For a volume found on disk after a restart: the SELinux label that it is mounted with, if known. */
  seLinuxLabel?: string;
}

/** Options of {@link VolumeMounter.setUp}. */
export interface SetUpOptions {
  /** The user that all containers run as, if it is the same; the owner of token files. */
  fsUser?: number;
  /** The pod's `fsGroup`. */
  fsGroup?: number;
  /** `OnRootMismatch` or `Always`. */
  fsGroupChangePolicy?: string;
  /** The volume's size limit in bytes, for plugins that can enforce one; 0 if the pod sets no limit. */
  desiredSize?: bigint;
  /** The SELinux label to mount the whole volume with. Default: none. */
  seLinuxLabel?: string;
  /** The volume is already mounted; only update its content. */
  isRemount: boolean;
  /** The volume was found on disk after a restart. */
  reconstructed: boolean;
  signal: AbortSignal;
}

/** A volume's usage in bytes and inodes. */
export interface VolumeUsage {
  capacityBytes: bigint;
  availableBytes: bigint;
  usedBytes: bigint;
  inodes: bigint;
  inodesFree: bigint;
  inodesUsed: bigint;
  /** The volume's health, from drivers that report it. */
  condition?: { abnormal: boolean; message: string };
}

/** Mounts a file system volume for one pod. */
export interface VolumeMounter {
  /** The mount path: `pods/<uid>/volumes/<escaped plugin>/<name>`; empty if the plugin mounts nothing on the node. */
  readonly path: string;
  readonly attributes: { readOnly: boolean; managed: boolean; seLinuxRelabel: boolean };
  /**
   * Idempotent. Rejects with an error of `uncertainProgress` if the volume may be mounted, with one of `transientOperationFailure` if
   * nothing has changed; any other error means that the volume is not mounted.
   */
  setUp(options: SetUpOptions): Promise<void>;
  /** The mounted volume's usage. Absent if the plugin cannot measure it; rejects if the driver cannot. */
  usage?(signal: AbortSignal): Promise<VolumeUsage>;
}

/** Unmounts a volume of one pod, using only information on disk. */
export interface VolumeUnmounter {
  readonly path: string;
  /** Idempotent. */
  tearDown(signal: AbortSignal): Promise<void>;
}

/** Attaches volumes to the node, or waits until the attach/detach controller has attached them. */
export interface Attacher {
  /**
   * Resolves to the device's path, which may be empty, once the volume is attached. The plugin applies its own timeout, usually ten
   * minutes.
   */
  waitForAttach(spec: VolumeSpec, devicePath: string, pod: Pod, signal: AbortSignal): Promise<string>;
  /** Attaches the volume. Called only if no controller attaches it. Resolves to the device's path, which may be empty. */
  attach?(spec: VolumeSpec, nodeName: string, signal: AbortSignal): Promise<string>;
  /** Detaches a volume that {@link Attacher.attach} attached; `volumeName` is the plugin's name of the volume. */
  detach?(volumeName: string, nodeName: string, signal: AbortSignal): Promise<void>;
}

/** Mounts a device once for all pods of the node that use it. */
export interface DeviceMounter {
  /** The device's mount path, derived from the spec. Throws if the spec does not define it. */
  deviceMountPath(spec: VolumeSpec): string;
  /** Idempotent. Errors as of {@link VolumeMounter.setUp}. */
  mountDevice(
    spec: VolumeSpec,
    devicePath: string,
    path: string,
    options: { fsGroup?: number; seLinuxLabel?: string; signal: AbortSignal },
  ): Promise<void>;
}

export interface DeviceUnmounter {
  /** Idempotent. */
  unmountDevice(path: string, signal: AbortSignal): Promise<void>;
}

/** The location of a pod's raw block device: a directory of the pod, and the name of the link in it. */
export interface PodDeviceMapPath {
  path: string;
  name: string;
}

/** Maps a raw block device into a pod. */
export interface BlockMapper {
  globalMapPath(spec: VolumeSpec): string;
  podDeviceMapPath(): PodDeviceMapPath;
  /** Makes the device available on the node, as staging does. Idempotent; errors as of {@link VolumeMounter.setUp}. */
  setUpDevice(signal: AbortSignal): Promise<string>;
  /** Resolves to the device's path; empty if it is the path that attaching returned. Idempotent. */
  mapPodDevice(signal: AbortSignal): Promise<string>;
  /** As {@link VolumeMounter.usage}. */
  usage?(signal: AbortSignal): Promise<VolumeUsage>;
}

export interface BlockUnmapper {
  podDeviceMapPath(): PodDeviceMapPath;
  /** Idempotent. */
  tearDownDevice(globalMapPath: string, devicePath: string, signal: AbortSignal): Promise<void>;
  /** Idempotent. */
  unmapPodDevice(signal: AbortSignal): Promise<void>;
}

/** Options of {@link VolumePlugin.expandable}: expands a mounted volume. */
export interface NodeExpandOptions {
  spec: VolumeSpec;
  newSize: Quantity;
  oldSize: Quantity;
  devicePath: string;
  /** The path of the volume: the pod's mount path, or a block device's global path. */
  deviceMountPath: string;
  /** The path at which the device is mounted for all pods; empty if it is not. */
  deviceStagePath: string;
  signal: AbortSignal;
}

type MaybePromise<T> = T | Promise<T>;

/**
 * A volume plugin: supports one kind of volume. Methods that return no promise do no I/O; methods that may return one are called frequently
 * and should answer from memory. Plugins keep no volume state that a restart would lose.
 */
export interface VolumePlugin {
  /** The plugin's name in two parts, such as `kubernetes.io/empty-dir`. */
  readonly name: string;
  /** The label `volume_plugin` of metrics, if it differs from the name (`kubernetes.io/csi:<driver>`). */
  metricName?(spec: VolumeSpec): string;
  /** Whether this plugin supports the volume. Exactly one plugin may return true for a volume. */
  canSupport(spec: VolumeSpec): boolean;
  /** The volume's unique name within the plugin. Throws if the spec does not define it. */
  volumeName(spec: VolumeSpec): string;
  /** Whether each sync of the pod updates the volume's content. */
  requiresRemount(spec: VolumeSpec): boolean;
  supportsMountOption: boolean;
  /** Whether the volume can be mounted with an SELinux label for all its files. Default: no. */
  supportsSELinuxContext?(spec: VolumeSpec): boolean;
  mounter(spec: VolumeSpec, pod: Pod): MaybePromise<VolumeMounter>;
  unmounter(specName: string, podUid: string): MaybePromise<VolumeUnmounter>;
  /** The spec of a volume that was found on disk at `path` after a restart. */
  constructVolumeSpec(specName: string, path: string): Promise<VolumeSpec>;
  /** Only for attachable volumes. `canAttach` may query the API server. */
  attachable?: {
    canAttach(spec: VolumeSpec): MaybePromise<boolean>;
    attacher(): Attacher;
    /** Whether attaching failed because the node's attachment limit is reached. Called after a pod's wait for the volume timed out. */
    isResourceExhausted?(spec: VolumeSpec, signal: AbortSignal): Promise<boolean>;
  };
  /** Only for volumes that are mounted once for all pods. */
  deviceMountable?: {
    canDeviceMount(spec: VolumeSpec): MaybePromise<boolean>;
    deviceMounter(): DeviceMounter;
    deviceUnmounter(): DeviceUnmounter;
    /**
     * Finds the volumes whose devices were mounted or mapped before a restart of the agent, so that the manager can clean up those that no
     * pod uses any more. Removes unused directories of them. Default: none.
     */
    findDevices?(): Promise<VolumeSpec[]>;
  };
  /** Only for volumes that can be raw block devices. */
  block?: {
    mapper(spec: VolumeSpec, pod: Pod): MaybePromise<BlockMapper>;
    unmapper(specName: string, podUid: string): MaybePromise<BlockUnmapper>;
    constructBlockVolumeSpec(podUid: string, specName: string, path: string): Promise<VolumeSpec>;
  };
  /** Only for volumes that can be expanded while mounted. */
  expandable?: {
    /** Whether the node must resize the file system. */
    requiresFSResize: boolean;
    /**
     * Resolves to false if no resize was necessary. Errors as of {@link VolumeMounter.setUp}, or made by `inUseExpansion` or
     * `infeasibleExpansion`.
     */
    nodeExpand(options: NodeExpandOptions): Promise<boolean>;
  };
}
