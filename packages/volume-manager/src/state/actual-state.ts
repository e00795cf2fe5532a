import { type BlockMapper, NodeAgentError, type VolumeMounter, type VolumeSpec } from '@nodeagent/api';
import { Quantity, specName } from '@nodeagent/api/helpers';
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
  return new VolumesOnNode();
}

class VolumesOnNode implements ActualState {
  readonly #volumes = new Map<string, Entry>();
  /** Index of volumes by pod, so that queries about a pod do not visit all volumes. */
  readonly #namesByPod = new Map<string, Set<string>>();
  readonly #reconstructed = createReconstructedVolumes();

  markVolumeAsAttached(volumeName: string, resolved: ResolvedVolume, devicePath: string): void {
    this.#add(volumeName, resolved, devicePath, resolved.attachable ? 'true' : 'false');
  }

  addUncertainVolume(volumeName: string, resolved: ResolvedVolume, devicePath: string): void {
    this.#add(volumeName, resolved, devicePath, 'uncertain');
  }

  markVolumeAsMounted(facts: PodMountFacts): void {
    this.#mark(facts, 'VolumeMounted');
  }

  markVolumeMountAsUncertain(facts: PodMountFacts): void {
    this.#mark(facts, 'VolumeMountUncertain');
  }

  markAsReconstructed(facts: PodMountFacts): boolean {
    const { podUid, volumeName } = facts;
    if (!this.#volumes.has(volumeName) || this.mountState(podUid, volumeName) !== 'VolumeNotMounted') return false;
    this.#mark(facts, 'VolumeMountUncertain');
    this.#reconstructed.add(podUid, volumeName);
    return true;
  }

  markVolumeAsUnmounted(podUid: string, volumeName: string): void {
    this.#attached(volumeName).pods.delete(podUid);
    const names = this.#namesByPod.get(podUid);
    names?.delete(volumeName);
    if (names?.size === 0) this.#namesByPod.delete(podUid);
  }

  setDeviceMountState(volumeName: string, state: DeviceMountState, devicePath: string, deviceMountPath: string): void {
    const volume = this.#attached(volumeName);
    volume.deviceMountState = state;
    volume.deviceMountPath = deviceMountPath;
    if (devicePath !== '') volume.devicePath = devicePath;
  }

  markDeviceAsReconstructed(volumeName: string, deviceMountPath: string): boolean {
    const volume = this.#volumes.get(volumeName);
    if (volume?.deviceMountState !== 'DeviceNotMounted') return false;
    volume.deviceMountState = 'DeviceMountUncertain';
    volume.deviceMountPath = deviceMountPath;
    return true;
  }

  deleteVolume(volumeName: string): void {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return;
    if (volume.pods.size > 0) {
      throw new NodeAgentError(
        volumeManagerErrorCodes.stillMounted,
        `failed to DeleteVolume "${volumeName}", it still has ${volume.pods.size} mountedPods`,
      );
    }
    this.#volumes.delete(volumeName);
    this.#reconstructed.delete(volumeName);
  }

  markVolumeAsDetached(volumeName: string): void {
    if (this.#volumes.get(volumeName)?.pods.size === 0) this.deleteVolume(volumeName);
  }

  updateReconstructedVolume(volumeName: string, isAttachable: boolean, devicePath: string): void {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return;
    if (volume.deviceMountState === 'DeviceMountUncertain') volume.devicePath = devicePath;
    if (volume.attachability === 'uncertain') volume.attachability = isAttachable ? 'true' : 'false';
  }

  initializeSELinuxLabel(volumeName: string, label: string): void {
    const volume = this.#volumes.get(volumeName);
    if (volume) volume.seLinuxLabel ??= label;
  }

  initializeClaimSize(volumeName: string, size: Quantity): void {
    const volume = this.#volumes.get(volumeName);
    if (volume?.claimSize.isZero) volume.claimSize = size;
  }

  markVolumeAsResized(volumeName: string, size: Quantity): boolean {
    const volume = this.#volumes.get(volumeName);
    if (volume) volume.claimSize = size;
    return volume !== undefined;
  }

  markForInUseExpansionError(volumeName: string): void {
    const volume = this.#volumes.get(volumeName);
    if (volume) volume.inUseExpansionError = true;
  }

  markRemountRequired(podUid: string): void {
    for (const volumeName of this.#namesOf(podUid)) {
      const mount = this.#mount(podUid, volumeName);
      if (mount?.plugin.requiresRemount(mount.spec)) mount.remountRequired = true;
    }
  }

  get(volumeName: string): AttachedVolume | undefined {
    return this.#volumes.get(volumeName);
  }

  podMount(podUid: string, volumeName: string): PodMount | undefined {
    return this.#mount(podUid, volumeName);
  }

  mountState(podUid: string, volumeName: string): VolumeMountState {
    return this.#mount(podUid, volumeName)?.state ?? 'VolumeNotMounted';
  }

  podVolumeState(podUid: string, volumeName: string, desiredSize: Quantity | undefined): PodVolumeState {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return { state: 'NotAttached', devicePath: '' };
    const { devicePath, claimSize } = volume;
    const mount = volume.pods.get(podUid);
    if (mount === undefined || mount.state === 'VolumeMountUncertain') return { state: 'NotMounted', devicePath };
    if (mount.remountRequired) return { state: 'RemountRequired', devicePath };
    if (isExpansionNeeded(volume, desiredSize)) return { state: 'ResizeRequired', devicePath, currentSize: claimSize };
    return { state: 'Mounted', devicePath };
  }

  isPodRemovedFromVolume(podUid: string, volumeName: string): boolean {
    return this.mountState(podUid, volumeName) === 'VolumeNotMounted';
  }

  isMountedElsewhere(podUid: string, volumeName: string): boolean {
    const mounts = [...(this.#volumes.get(volumeName)?.pods.values() ?? [])];
    return mounts.some((mount) => mount.podUid !== podUid && mount.state !== 'VolumeNotMounted');
  }

  volumeExistsWithSpecName(podUid: string, name: string): boolean {
    return [...this.#namesOf(podUid)].some((volumeName) => {
      const mount = this.#mount(podUid, volumeName);
      return mount !== undefined && specName(mount.spec) === name;
    });
  }

  isReconstructed(podUid: string, volumeName: string): boolean {
    return this.mountState(podUid, volumeName) === 'VolumeMountUncertain' && this.#reconstructed.hasPod(podUid, volumeName);
  }

  isDeviceReconstructed(volumeName: string): boolean {
    return this.#reconstructed.has(volumeName);
  }

  volumes(): Iterable<AttachedVolume> {
    return this.#volumes.values();
  }

  countByPlugin(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { plugin } of this.#volumes.values()) counts.set(plugin.name, (counts.get(plugin.name) ?? 0) + 1);
    return counts;
  }

  *possiblyMounted(): Iterable<MountedPodVolume> {
    for (const volume of this.#volumes.values())
      for (const mount of volume.pods.values()) if (mount.state !== 'VolumeNotMounted') yield { volume, mount };
  }

  possiblyMountedOfPod(podUid: string): MountedPodVolume[] {
    const mounts: MountedPodVolume[] = [];
    for (const volumeName of this.#namesOf(podUid)) {
      const volume = this.#volumes.get(volumeName);
      const mount = volume?.pods.get(podUid);
      if (volume && mount && mount.state !== 'VolumeNotMounted') mounts.push({ volume, mount });
    }
    return mounts;
  }

  #attached(volumeName: string): Entry {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) {
      throw new NodeAgentError(
        volumeManagerErrorCodes.notAttached,
        `no volume with the name "${volumeName}" exists in the list of attached volumes`,
      );
    }
    return volume;
  }

  #mount(podUid: string, volumeName: string): Writable<PodMount> | undefined {
    return this.#volumes.get(volumeName)?.pods.get(podUid);
  }

  /** The unique names of the pod's volumes. */
  #namesOf(podUid: string): ReadonlySet<string> {
    return this.#namesByPod.get(podUid) ?? new Set();
  }

  #add(volumeName: string, { spec, plugin }: ResolvedVolume, devicePath: string, attachability: Attachability): void {
    const volume = this.#volumes.get(volumeName);
    if (volume !== undefined) {
      volume.devicePath = devicePath;
      return;
    }
    this.#volumes.set(volumeName, {
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
  }

  #mark({ podUid, volumeName, spec, plugin, mounter, mapper, gid = '' }: PodMountFacts, state: VolumeMountState): void {
    const volume = this.#attached(volumeName);
    let mount = volume.pods.get(podUid);
    if (mount === undefined || mount.state === 'VolumeMountUncertain') {
      mount = { podUid, spec, plugin, mounter, mapper, gid, state, remountRequired: false };
      volume.pods.set(podUid, mount);
    }
    mount.state = state;
    mount.remountRequired = false;
    if (mounter) mount.mounter = mounter;
    if (mapper) mount.mapper = mapper;
    const names = this.#namesByPod.get(podUid) ?? new Set();
    this.#namesByPod.set(podUid, names.add(volumeName));
    if (state === 'VolumeMounted') this.#reconstructed.markPodMounted(podUid, volumeName);
  }
}
