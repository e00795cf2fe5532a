import type { PersistentVolume, Pod, Volume } from '@nodeagent/api';

/** What is to be mounted: a pod's own volume, or the persistent volume of its claim. */
export interface VolumeSpec {
  /** The volume as the pod has it; absent where only a persistent volume is known. */
  volume?: Volume;
  persistentVolume?: PersistentVolume;
  /** Of the claim's source in the pod. */
  readOnly: boolean;
}

/** What setting up a volume for a pod takes. */
export interface SetUpOptions {
  /** The one user of all containers, if they agree; owns token files. */
  fsUser?: number;
  /** The pod's `fsGroup`. */
  fsGroup?: number;
  /** `OnRootMismatch` or `Always`. */
  fsGroupChangePolicy?: string;
  /** Bytes the volume may take, for those that can limit it. */
  desiredSize?: bigint;
  /** The volume was mounted before; only its content is to be brought up to date. */
  isRemount: boolean;
  /** The volume was found on disk after a restart. */
  reconstructed: boolean;
  signal: AbortSignal;
}

/** Makes a volume available to one pod, for plugins with file systems. */
export interface VolumeMounter {
  /** Where it will be: `pods/<uid>/volumes/<escaped plugin>/<name>`. */
  readonly path: string;
  readonly attributes: { readOnly: boolean; managed: boolean; seLinuxRelabel: boolean };
  /**
   * Idempotent. An error of code `UncertainProgress` leaves it open whether the volume is mounted now, one of code
   * `TransientOperationFailure` says that nothing has been tried yet; any other says that it is not mounted.
   */
  setUp(options: SetUpOptions): Promise<void>;
}

/** Takes a volume away from a pod; knows no more of it than what is on disk. */
export interface VolumeUnmounter {
  readonly path: string;
  /** Idempotent. */
  tearDown(signal: AbortSignal): Promise<void>;
}

/** Attaches volumes to the node, or waits for whoever does. */
export interface Attacher {
  /** Resolves to the device's path, which may be empty, once the volume is attached. */
  waitForAttach(spec: VolumeSpec, devicePath: string, pod: Pod, signal: AbortSignal): Promise<string>;
}

/** Mounts a device once for all its pods on the node. */
export interface DeviceMounter {
  deviceMountPath(spec: VolumeSpec): string;
  mountDevice(spec: VolumeSpec, devicePath: string, path: string, options: { fsGroup?: number; signal: AbortSignal }): Promise<void>;
}

export interface DeviceUnmounter {
  unmountDevice(path: string, signal: AbortSignal): Promise<void>;
}

/** Maps a raw block device into a pod. */
export interface BlockMapper {
  globalMapPath(spec: VolumeSpec): string;
  /** The folder in the pod's, and the link's name there. */
  podDeviceMapPath(): { path: string; name: string };
  setUpDevice(signal: AbortSignal): Promise<string>;
  /** Resolves to the device's path. */
  mapPodDevice(signal: AbortSignal): Promise<string>;
}

export interface BlockUnmapper {
  tearDownDevice(globalMapPath: string, devicePath: string, signal: AbortSignal): Promise<void>;
  unmapPodDevice(signal: AbortSignal): Promise<void>;
}

/** One kind of volumes. Everything but `setUp`, `tearDown` and the like is synchronous and without I/O unless it says otherwise. */
export interface VolumePlugin {
  /** Such as `kubernetes.io/empty-dir`. */
  readonly name: string;
  canSupport(spec: VolumeSpec): boolean;
  /** What tells the volume from others of the plugin; throws for a spec without it. */
  volumeName(spec: VolumeSpec): string;
  /** Whether its content is brought up to date at each sync of the pod. */
  requiresRemount(spec: VolumeSpec): boolean;
  supportsMountOption: boolean;
  mounter(spec: VolumeSpec, pod: Pod): VolumeMounter | Promise<VolumeMounter>;
  unmounter(specName: string, podUid: string): VolumeUnmounter | Promise<VolumeUnmounter>;
  /** The spec of a volume that was found on disk at `path` after a restart. */
  constructVolumeSpec(specName: string, path: string): Promise<VolumeSpec>;
  /** Only for volumes that have to be attached. May ask the API server. */
  attachable?: { canAttach(spec: VolumeSpec): Promise<boolean>; attacher(): Attacher };
  /** Only for volumes that are mounted once for all pods. */
  deviceMountable?: { canDeviceMount(spec: VolumeSpec): Promise<boolean>; deviceMounter(): DeviceMounter; deviceUnmounter(): DeviceUnmounter };
  /** Only for volumes that can be raw block devices. */
  block?: {
    mapper(spec: VolumeSpec, pod: Pod): BlockMapper | Promise<BlockMapper>;
    unmapper(specName: string, podUid: string): BlockUnmapper | Promise<BlockUnmapper>;
    constructBlockVolumeSpec(podUid: string, specName: string, path: string): Promise<VolumeSpec>;
  };
  /** Only for volumes that can grow while they are mounted. */
  expandable?: {
    requiresFSResize: boolean;
    /** False if there was nothing to do. */
    nodeExpand(options: {
      spec: VolumeSpec;
      newSize: bigint;
      oldSize: bigint;
      devicePath: string;
      deviceMountPath: string;
      deviceStagePath: string;
      signal: AbortSignal;
    }): Promise<boolean>;
  };
}

/** The name by which a plugin and its folders know a volume: the persistent volume's, else the pod volume's. */
export function specName({ persistentVolume, volume }: VolumeSpec): string {
  return persistentVolume?.metadata?.name ?? volume?.name ?? '';
}
