import type { Quantity } from '../helpers/quantity.js';
import type { Pod } from '../objects/pod.js';
import type { PersistentVolume } from '../objects/storage.js';
import type { Volume } from '../objects/volume.js';

/** What is to be mounted: a pod's own volume, or the persistent volume of its claim. Never changed once made. */
export interface VolumeSpec {
  /** The volume as the pod has it; absent where only a persistent volume is known. */
  volume?: Volume;
  persistentVolume?: PersistentVolume;
  /** Of the claim's source in the pod. */
  readOnly: boolean;
  /** Of a volume that was found on disk: the SELinux label that it is mounted with, if it is known to be mounted with one. */
  seLinuxLabel?: string;
}

/** What setting up a volume for a pod takes. */
export interface SetUpOptions {
  /** The one user of all containers, if they agree; owns token files. */
  fsUser?: number;
  /** The pod's `fsGroup`. */
  fsGroup?: number;
  /** `OnRootMismatch` or `Always`. */
  fsGroupChangePolicy?: string;
  /** Bytes the volume may take, for those that can limit it; 0 is no limit of the pod's. */
  desiredSize?: bigint;
  /** The SELinux label that the whole volume is to be mounted with. Default: none. */
  seLinuxLabel?: string;
  /** The volume was mounted before; only its content is to be brought up to date. */
  isRemount: boolean;
  /** The volume was found on disk after a restart. */
  reconstructed: boolean;
  signal: AbortSignal;
}

/** How full a volume is: bytes and numbers of inodes. */
export interface VolumeUsage {
  capacityBytes: bigint;
  availableBytes: bigint;
  usedBytes: bigint;
  inodes: bigint;
  inodesFree: bigint;
  inodesUsed: bigint;
  /** Whether something is wrong with the volume, from drivers that can tell. */
  condition?: { abnormal: boolean; message: string };
}

/** Makes a volume available to one pod, for plugins with file systems. */
export interface VolumeMounter {
  /** Where it will be: `pods/<uid>/volumes/<escaped plugin>/<name>`; empty if nothing is mounted on the node. */
  readonly path: string;
  readonly attributes: { readOnly: boolean; managed: boolean; seLinuxRelabel: boolean };
  /**
   * Idempotent. An error made by `uncertainProgress` leaves it open whether the volume is mounted now, one made by
   * `transientOperationFailure` says that nothing has changed; any other says that the volume is not mounted.
   */
  setUp(options: SetUpOptions): Promise<void>;
  /** How full the volume is that was set up. Absent if nobody can tell; rejects if the driver cannot. */
  usage?(signal: AbortSignal): Promise<VolumeUsage>;
}

/** Takes a volume away from a pod; knows no more of it than what is on disk. */
export interface VolumeUnmounter {
  readonly path: string;
  /** Idempotent. */
  tearDown(signal: AbortSignal): Promise<void>;
}

/** Attaches volumes to the node, or waits for whoever does. */
export interface Attacher {
  /** Resolves to the device's path, which may be empty, once the volume is attached. Gives up by itself; ten minutes are usual. */
  waitForAttach(spec: VolumeSpec, devicePath: string, pod: Pod, signal: AbortSignal): Promise<string>;
  /** Attaches the volume; only called where no controller attaches. Resolves to the device's path, which may be empty. */
  attach?(spec: VolumeSpec, nodeName: string, signal: AbortSignal): Promise<string>;
  /** Ends {@link Attacher.attach}; `volumeName` is the plugin's. */
  detach?(volumeName: string, nodeName: string, signal: AbortSignal): Promise<void>;
}

/** Mounts a device once for all its pods on the node. */
export interface DeviceMounter {
  /** Where the device will be mounted, from the spec alone. Throws for a spec without it. */
  deviceMountPath(spec: VolumeSpec): string;
  /** Idempotent; its errors say as much as those of {@link VolumeMounter.setUp}. */
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

/** Where a pod has a raw block device: a folder of the pod's, and the name of the link in it. */
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
  /** Resolves to the device's path; empty if it is the one the volume was attached with. Idempotent. */
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

/** What growing a mounted volume takes. */
export interface NodeExpandOptions {
  spec: VolumeSpec;
  newSize: Quantity;
  oldSize: Quantity;
  devicePath: string;
  /** Where the volume is to be seen: the pod's path, or the global one of a block device. */
  deviceMountPath: string;
  /** Where the device is mounted for all pods; empty if it is not. */
  deviceStagePath: string;
  signal: AbortSignal;
}

type MaybePromise<T> = T | Promise<T>;

/**
 * One kind of volumes. What returns no promise does no I/O; what may return one is asked again and again and answers from memory where
 * it can. Plugins keep no state of volumes that a restart would lose.
 */
export interface VolumePlugin {
  /** Such as `kubernetes.io/empty-dir`: two parts. */
  readonly name: string;
  /** The `volume_plugin` of metrics, if it says more than the name (`kubernetes.io/csi:<driver>`). */
  metricName?(spec: VolumeSpec): string;
  /** Exactly one plugin may say yes. */
  canSupport(spec: VolumeSpec): boolean;
  /** What tells the volume from others of the plugin; throws for a spec without it. */
  volumeName(spec: VolumeSpec): string;
  /** Whether its content is brought up to date at each sync of the pod. */
  requiresRemount(spec: VolumeSpec): boolean;
  supportsMountOption: boolean;
  /** Whether the volume can be mounted with an SELinux label for all its files. Default: no. */
  supportsSELinuxContext?(spec: VolumeSpec): boolean;
  mounter(spec: VolumeSpec, pod: Pod): MaybePromise<VolumeMounter>;
  unmounter(specName: string, podUid: string): MaybePromise<VolumeUnmounter>;
  /** The spec of a volume that was found on disk at `path` after a restart. */
  constructVolumeSpec(specName: string, path: string): Promise<VolumeSpec>;
  /** Only for volumes that have to be attached. `canAttach` may ask the API server. */
  attachable?: {
    canAttach(spec: VolumeSpec): MaybePromise<boolean>;
    attacher(): Attacher;
    /** Whether attaching failed because the node can have no more volumes; asked when a pod has waited for it in vain. */
    isResourceExhausted?(spec: VolumeSpec, signal: AbortSignal): Promise<boolean>;
  };
  /** Only for volumes that are mounted once for all pods. */
  deviceMountable?: {
    canDeviceMount(spec: VolumeSpec): MaybePromise<boolean>;
    deviceMounter(): DeviceMounter;
    deviceUnmounter(): DeviceUnmounter;
    /**
     * The volumes whose devices an earlier agent left mounted, or mapped, so that those are found that no pod has any more; folders of its
     * that it did not get to use are removed. Default: none.
     */
    findDevices?(): Promise<VolumeSpec[]>;
  };
  /** Only for volumes that can be raw block devices. */
  block?: {
    mapper(spec: VolumeSpec, pod: Pod): MaybePromise<BlockMapper>;
    unmapper(specName: string, podUid: string): MaybePromise<BlockUnmapper>;
    constructBlockVolumeSpec(podUid: string, specName: string, path: string): Promise<VolumeSpec>;
  };
  /** Only for volumes that can grow while they are mounted. */
  expandable?: {
    /** Whether the node has to do its part of growing. */
    requiresFSResize: boolean;
    /** False if there was nothing to do. Errors as of {@link VolumeMounter.setUp}, or made by `inUseExpansion` or `infeasibleExpansion`. */
    nodeExpand(options: NodeExpandOptions): Promise<boolean>;
  };
}
