import { type BlockMapper, NodeAgentError, Quantity, specName, type VolumeMounter, type VolumeSpec } from '@nodeagent/api';
import { volumeManagerErrorCodes } from '../errors.js';
import type { ResolvedVolume } from '../plugin-registry.js';
import { isExpansionNeeded } from './needs-expansion.js';
import type { PodVolumeState } from './pod-volume-state.js';
import { createReconstructedVolumes } from './reconstructed-volumes.js';

export type DeviceMountState = 'DeviceNotMounted' | 'DeviceMountUncertain' | 'DeviceGloballyMounted';
export type VolumeMountState = 'VolumeNotMounted' | 'VolumeMountUncertain' | 'VolumeMounted';
/** Whether a volume is attachable; uncertain for reconstructed volumes until the Node's status was read. */
export type Attachability = 'true' | 'false' | 'uncertain';

/** State of a volume for one pod. */
export interface PodMount {
  readonly podUid: string;
  readonly spec: VolumeSpec;
  readonly plugin: ResolvedVolume['plugin'];
  readonly mounter: VolumeMounter | undefined;
  readonly mapper: BlockMapper | undefined;
  /** The group in the persistent volume's annotation, unparsed; empty if none. */
  readonly gid: string;
  readonly state: VolumeMountState;
  readonly remountRequired: boolean;
}

/** State of a volume on the node. */
export interface AttachedVolume {
  readonly volumeName: string;
  readonly spec: VolumeSpec;
  readonly plugin: ResolvedVolume['plugin'];
  readonly attachability: Attachability;
  readonly devicePath: string;
  readonly deviceMountState: DeviceMountState;
  /** The global mount path of the device; empty if it is not mounted. */
  readonly deviceMountPath: string;
  /** The SELinux label of the mount, empty for none; undefined until the volume is mounted. */
  readonly seLinuxLabel: string | undefined;
  /** The capacity in the claim's status when the volume was mounted or last expanded. */
  readonly claimSize: Quantity;
  /** Whether the driver cannot expand the volume while it is in use. */
  readonly inUseExpansionError: boolean;
  readonly pods: ReadonlyMap<string, PodMount>;
}

/** A volume that is mounted for a pod, or may be. */
export interface MountedPodVolume {
  readonly volume: AttachedVolume;
  readonly mount: PodMount;
}

/** Facts about a pod's volume to record. */
export interface PodMountFacts {
  podUid: string;
  volumeName: string;
  spec: VolumeSpec;
  plugin: ResolvedVolume['plugin'];
  mounter?: VolumeMounter;
  mapper?: BlockMapper;
  gid?: string;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Entry = Omit<Writable<AttachedVolume>, 'pods'> & { pods: Map<string, Writable<PodMount>> };

/**
 * The actual state of the world: attached volumes by unique name, with the pods they are mounted for by UID. A volume is added before it is
 * mounted, even if it is not attachable. Returned objects are live: they show later changes.
 */
export interface ActualState {
  /** For a known volume it only sets the device path. */
  markVolumeAsAttached(volumeName: string, resolved: ResolvedVolume, devicePath: string): void;
  /** Adds a reconstructed volume, of which it is unknown whether it is attached. */
  addUncertainVolume(volumeName: string, resolved: ResolvedVolume, devicePath: string): void;
  /** Throws `VolumeNotAttached` if the volume is unknown, like all methods that need the volume. */
  markVolumeAsMounted(facts: PodMountFacts): void;
  markVolumeMountAsUncertain(facts: PodMountFacts): void;
  /** Marks a reconstructed volume as uncertain, unless its state is known. Returns whether it did. */
  markAsReconstructed(facts: PodMountFacts): boolean;
  markVolumeAsUnmounted(podUid: string, volumeName: string): void;
  /** An empty device path keeps the known one. */
  setDeviceMountState(volumeName: string, state: DeviceMountState, devicePath: string, deviceMountPath: string): void;
  /** Marks the device of a reconstructed volume as uncertain, unless its state is known. Returns whether it did. */
  markDeviceAsReconstructed(volumeName: string, deviceMountPath: string): boolean;
  /** Removes the volume; throws `VolumeStillMounted` while it has pods. */
  deleteVolume(volumeName: string): void;
  /** Like {@link ActualState.deleteVolume}, but keeps a volume that has pods. */
  markVolumeAsDetached(volumeName: string): void;
  /** Sets the attachability and device path of a reconstructed volume from the Node's status, if they are uncertain. */
  updateReconstructedVolume(volumeName: string, isAttachable: boolean, devicePath: string): void;
  /** Sets the label if it is unknown; the label of a mounted volume never changes. */
  initializeSELinuxLabel(volumeName: string, label: string): void;
  /** Sets the size if it is unknown. */
  initializeClaimSize(volumeName: string, size: Quantity): void;
  /** False for an unknown volume. */
  markVolumeAsResized(volumeName: string, size: Quantity): boolean;
  markForInUseExpansionError(volumeName: string): void;
  /** Marks the pod's volumes whose plugin requires remounts, such as config maps, to be set up again. */
  markRemountRequired(podUid: string): void;
  get(volumeName: string): AttachedVolume | undefined;
  podMount(podUid: string, volumeName: string): PodMount | undefined;
  mountState(podUid: string, volumeName: string): VolumeMountState;
  /** Compares the pod's volume with the desired state. */
  podVolumeState(podUid: string, volumeName: string, desiredSize: Quantity | undefined): PodVolumeState;
  isPodRemovedFromVolume(podUid: string, volumeName: string): boolean;
  /** Whether the volume is mounted for another pod, or may be. */
  isMountedElsewhere(podUid: string, volumeName: string): boolean;
  volumeExistsWithSpecName(podUid: string, name: string): boolean;
  /** Whether the pod's volume is only known from the reconstruction. */
  isReconstructed(podUid: string, volumeName: string): boolean;
  isDeviceReconstructed(volumeName: string): boolean;
  volumes(): Iterable<AttachedVolume>;
  /** Number of volumes by plugin name. */
  countByPlugin(): Map<string, number>;
  /** All volumes of pods that are mounted or may be. */
  possiblyMounted(): Iterable<MountedPodVolume>;
  /** The pod's volumes that are mounted or may be. */
  possiblyMountedOfPod(podUid: string): MountedPodVolume[];
}

export function createActualState(): ActualState {
  const volumes = new Map<string, Entry>();
  /** Index of volumes by pod, so that queries about a pod do not visit all volumes. */
  const namesByPod = new Map<string, Set<string>>();
  const found = createReconstructedVolumes();

  const attached = (volumeName: string): Entry => {
    const volume = volumes.get(volumeName);
    if (volume === undefined) {
      throw new NodeAgentError(
        volumeManagerErrorCodes.notAttached,
        `no volume with the name "${volumeName}" exists in the list of attached volumes`,
      );
    }
    return volume;
  };

  const add = (volumeName: string, { spec, plugin }: ResolvedVolume, devicePath: string, attachability: Attachability) => {
    const volume = volumes.get(volumeName);
    if (volume !== undefined) {
      volume.devicePath = devicePath;
      return;
    }
    volumes.set(volumeName, {
      volumeName,
      spec,
      plugin,
      attachability,
      devicePath,
      deviceMountState: 'DeviceNotMounted',
      deviceMountPath: '',
      seLinuxLabel: undefined,
      claimSize: Quantity.zero,
      inUseExpansionError: false,
      pods: new Map(),
    });
  };

  const mark = ({ podUid, volumeName, spec, plugin, mounter, mapper, gid = '' }: PodMountFacts, state: VolumeMountState) => {
    const volume = attached(volumeName);
    let mount = volume.pods.get(podUid);
    if (mount === undefined || mount.state === 'VolumeMountUncertain') {
      mount = { podUid, spec, plugin, mounter, mapper, gid, state, remountRequired: false };
      volume.pods.set(podUid, mount);
    }
    mount.state = state;
    mount.remountRequired = false;
    if (mounter) mount.mounter = mounter;
    if (mapper) mount.mapper = mapper;
    const names = namesByPod.get(podUid) ?? new Set();
    namesByPod.set(podUid, names.add(volumeName));
    if (state === 'VolumeMounted') found.markPodMounted(podUid, volumeName);
  };

  const forget = (volumeName: string) => {
    const volume = volumes.get(volumeName);
    if (volume === undefined) return;
    if (volume.pods.size > 0) {
      throw new NodeAgentError(
        volumeManagerErrorCodes.stillMounted,
        `failed to DeleteVolume "${volumeName}", it still has ${volume.pods.size} mountedPods`,
      );
    }
    volumes.delete(volumeName);
    found.delete(volumeName);
  };

  const podMount = (podUid: string, volumeName: string) => volumes.get(volumeName)?.pods.get(podUid);
  const mountState = (podUid: string, volumeName: string) => podMount(podUid, volumeName)?.state ?? 'VolumeNotMounted';

  return {
    markVolumeAsAttached: (volumeName, resolved, devicePath) =>
      add(volumeName, resolved, devicePath, resolved.attachable ? 'true' : 'false'),
    addUncertainVolume: (volumeName, resolved, devicePath) => add(volumeName, resolved, devicePath, 'uncertain'),
    markVolumeAsMounted: (facts) => mark(facts, 'VolumeMounted'),
    markVolumeMountAsUncertain: (facts) => mark(facts, 'VolumeMountUncertain'),
    markAsReconstructed(facts) {
      if (!volumes.has(facts.volumeName) || mountState(facts.podUid, facts.volumeName) !== 'VolumeNotMounted') return false;
      mark(facts, 'VolumeMountUncertain');
      found.add(facts.podUid, facts.volumeName);
      return true;
    },
    markVolumeAsUnmounted(podUid, volumeName) {
      attached(volumeName).pods.delete(podUid);
      const names = namesByPod.get(podUid);
      names?.delete(volumeName);
      if (names?.size === 0) namesByPod.delete(podUid);
    },
    setDeviceMountState(volumeName, state, devicePath, deviceMountPath) {
      const volume = attached(volumeName);
      volume.deviceMountState = state;
      volume.deviceMountPath = deviceMountPath;
      if (devicePath !== '') volume.devicePath = devicePath;
    },
    markDeviceAsReconstructed(volumeName, deviceMountPath) {
      const volume = volumes.get(volumeName);
      if (volume?.deviceMountState !== 'DeviceNotMounted') return false;
      volume.deviceMountState = 'DeviceMountUncertain';
      volume.deviceMountPath = deviceMountPath;
      return true;
    },
    deleteVolume: forget,
    markVolumeAsDetached(volumeName) {
      if (volumes.get(volumeName)?.pods.size === 0) forget(volumeName);
    },
    updateReconstructedVolume(volumeName, isAttachable, devicePath) {
      const volume = volumes.get(volumeName);
      if (volume === undefined) return;
      if (volume.deviceMountState === 'DeviceMountUncertain') volume.devicePath = devicePath;
      if (volume.attachability === 'uncertain') volume.attachability = isAttachable ? 'true' : 'false';
    },
    initializeSELinuxLabel(volumeName, label) {
      const volume = volumes.get(volumeName);
      if (volume) volume.seLinuxLabel ??= label;
    },
    initializeClaimSize(volumeName, size) {
      const volume = volumes.get(volumeName);
      if (volume?.claimSize.isZero) volume.claimSize = size;
    },
    markVolumeAsResized(volumeName, size) {
      const volume = volumes.get(volumeName);
      if (volume) volume.claimSize = size;
      return volume !== undefined;
    },
    markForInUseExpansionError(volumeName) {
      const volume = volumes.get(volumeName);
      if (volume) volume.inUseExpansionError = true;
    },
    markRemountRequired(podUid) {
      for (const volumeName of namesByPod.get(podUid) ?? []) {
        const mount = podMount(podUid, volumeName);
        if (mount?.plugin.requiresRemount(mount.spec)) mount.remountRequired = true;
      }
    },
    get: (volumeName) => volumes.get(volumeName),
    podMount,
    mountState,
    podVolumeState(podUid, volumeName, desiredSize) {
      const volume = volumes.get(volumeName);
      if (volume === undefined) return { state: 'NotAttached', devicePath: '' };
      const { devicePath, claimSize } = volume;
      const mount = volume.pods.get(podUid);
      if (mount === undefined || mount.state === 'VolumeMountUncertain') return { state: 'NotMounted', devicePath };
      if (mount.remountRequired) return { state: 'RemountRequired', devicePath };
      if (isExpansionNeeded(volume, desiredSize)) return { state: 'ResizeRequired', devicePath, currentSize: claimSize };
      return { state: 'Mounted', devicePath };
    },
    isPodRemovedFromVolume: (podUid, volumeName) => mountState(podUid, volumeName) === 'VolumeNotMounted',
    isMountedElsewhere: (podUid, volumeName) =>
      [...(volumes.get(volumeName)?.pods.values() ?? [])].some((mount) => mount.podUid !== podUid && mount.state !== 'VolumeNotMounted'),
    volumeExistsWithSpecName: (podUid, name) =>
      [...(namesByPod.get(podUid) ?? [])].some((volumeName) => {
        const mount = podMount(podUid, volumeName);
        return mount !== undefined && specName(mount.spec) === name;
      }),
    isReconstructed: (podUid, volumeName) => mountState(podUid, volumeName) === 'VolumeMountUncertain' && found.hasPod(podUid, volumeName),
    isDeviceReconstructed: found.has,
    volumes: () => volumes.values(),
    countByPlugin() {
      const counts = new Map<string, number>();
      for (const { plugin } of volumes.values()) counts.set(plugin.name, (counts.get(plugin.name) ?? 0) + 1);
      return counts;
    },
    *possiblyMounted() {
      for (const volume of volumes.values())
        for (const mount of volume.pods.values()) if (mount.state !== 'VolumeNotMounted') yield { volume, mount };
    },
    possiblyMountedOfPod(podUid) {
      const mounts: MountedPodVolume[] = [];
      for (const volumeName of namesByPod.get(podUid) ?? []) {
        const volume = volumes.get(volumeName);
        const mount = volume?.pods.get(podUid);
        if (volume && mount && mount.state !== 'VolumeNotMounted') mounts.push({ volume, mount });
      }
      return mounts;
    },
  };
}
