import { type BlockMapper, NodeAgentError, Quantity, specName, type VolumeMounter, type VolumeSpec } from '@nodeagent/api';
import { volumeManagerErrorCodes } from '../errors.js';
import type { ResolvedVolume } from '../plugin-registry.js';
import { createFoundVolumes } from './found-volumes.js';
import { isExpansionNeeded } from './needs-expansion.js';
import type { PodVolumeState } from './pod-volume-state.js';

export type DeviceMountState = 'DeviceNotMounted' | 'DeviceMountUncertain' | 'DeviceGloballyMounted';
export type VolumeMountState = 'VolumeNotMounted' | 'VolumeMountUncertain' | 'VolumeMounted';
/** Whether a volume is one that gets attached; uncertain for those found after a restart, until the node's status was read. */
export type Attachability = 'true' | 'false' | 'uncertain';

/** What is known of a volume of one pod. */
export interface PodMount {
  readonly podUid: string;
  readonly spec: VolumeSpec;
  readonly plugin: ResolvedVolume['plugin'];
  readonly mounter: VolumeMounter | undefined;
  readonly mapper: BlockMapper | undefined;
  /** The group that its persistent volume asks for, unparsed; empty if none. */
  readonly gid: string;
  readonly state: VolumeMountState;
  readonly remountRequired: boolean;
}

/** What is known of a volume that the node has. */
export interface AttachedVolume {
  readonly volumeName: string;
  readonly spec: VolumeSpec;
  readonly plugin: ResolvedVolume['plugin'];
  readonly attachability: Attachability;
  readonly devicePath: string;
  readonly deviceMountState: DeviceMountState;
  /** Where the device is mounted for all pods; empty if it is not. */
  readonly deviceMountPath: string;
  /** The SELinux label that it is mounted with, empty for none; undefined until it is mounted. */
  readonly seLinuxLabel: string | undefined;
  /** The capacity that the claim's status had when it was mounted or last grown. */
  readonly claimSize: Quantity;
  /** Growing it in use was refused for good. */
  readonly inUseExpansionError: boolean;
  readonly pods: ReadonlyMap<string, PodMount>;
}

/** A volume that a pod has, or may have. */
export interface MountedPodVolume {
  readonly volume: AttachedVolume;
  readonly mount: PodMount;
}

/** What a pod's volume is to be marked with. */
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
 * What the node has: attached volumes by unique name, the pods that they are mounted for by UID. Every volume, also one that nobody has
 * to attach, is here before it is mounted. What is handed out shows later changes too.
 */
export interface ActualWorld {
  /** A volume that is known only gets the device's path. */
  markVolumeAsAttached(volumeName: string, resolved: ResolvedVolume, devicePath: string): void;
  /** As above for a volume that a restart found, of which it is not known yet whether it is attached. */
  addUncertainVolume(volumeName: string, resolved: ResolvedVolume, devicePath: string): void;
  /** Throws `VolumeNotAttached`, as all that need the volume. */
  markVolumeAsMounted(facts: PodMountFacts): void;
  markVolumeMountAsUncertain(facts: PodMountFacts): void;
  /** Marks a volume that a restart found on disk as uncertain, unless more is known of it. Returns whether it did. */
  markAsFound(facts: PodMountFacts): boolean;
  markVolumeAsUnmounted(podUid: string, volumeName: string): void;
  /** An empty device path leaves the one that is known. */
  setDeviceMountState(volumeName: string, state: DeviceMountState, devicePath: string, deviceMountPath: string): void;
  /** Marks the device of a found volume as uncertain, unless more is known of it. Returns whether it did. */
  markDeviceAsFound(volumeName: string, deviceMountPath: string): boolean;
  /** Forgets the volume; throws `VolumeStillMounted` while it has pods. */
  deleteVolume(volumeName: string): void;
  /** As {@link ActualWorld.deleteVolume}, but a volume with pods simply stays. */
  markVolumeAsDetached(volumeName: string): void;
  /** What the node's status says of a volume whose device is uncertain, or whose attachability is. */
  settleFoundVolume(volumeName: string, isAttachable: boolean, devicePath: string): void;
  /** Only of a volume whose label is not known; that of one that is mounted never changes. */
  initializeSELinuxLabel(volumeName: string, label: string): void;
  /** Only of a volume whose size is not known. */
  initializeClaimSize(volumeName: string, size: Quantity): void;
  /** False for an unknown volume. */
  markVolumeAsResized(volumeName: string, size: Quantity): boolean;
  markForInUseExpansionError(volumeName: string): void;
  /** The pod's volumes whose plugin asks for it are brought up to date. */
  markRemountRequired(podUid: string): void;
  get(volumeName: string): AttachedVolume | undefined;
  podMount(podUid: string, volumeName: string): PodMount | undefined;
  mountState(podUid: string, volumeName: string): VolumeMountState;
  /** How the pod's volume compares with what is wanted. */
  podVolumeState(podUid: string, volumeName: string, desiredSize: Quantity | undefined): PodVolumeState;
  isPodRemovedFromVolume(podUid: string, volumeName: string): boolean;
  /** Whether another pod has it, or may. */
  isMountedElsewhere(podUid: string, volumeName: string): boolean;
  volumeExistsWithSpecName(podUid: string, name: string): boolean;
  /** Whether all that is known of the pod's volume is that a restart found it. */
  isFound(podUid: string, volumeName: string): boolean;
  isDeviceFound(volumeName: string): boolean;
  volumes(): Iterable<AttachedVolume>;
  /** How many volumes there are, by plugin's name. */
  countByPlugin(): Map<string, number>;
  /** All that is mounted or may be. */
  possiblyMounted(): Iterable<MountedPodVolume>;
  /** What of the pod is mounted or may be. */
  possiblyMountedOfPod(podUid: string): MountedPodVolume[];
}

export function createActualWorld(): ActualWorld {
  const volumes = new Map<string, Entry>();
  /** The volumes of each pod, so that a pod's questions do not walk the world. */
  const namesByPod = new Map<string, Set<string>>();
  const found = createFoundVolumes();

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
    if (state === 'VolumeMounted') found.settlePod(podUid, volumeName);
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
    markAsFound(facts) {
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
    markDeviceAsFound(volumeName, deviceMountPath) {
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
    settleFoundVolume(volumeName, isAttachable, devicePath) {
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
    isFound: (podUid, volumeName) => mountState(podUid, volumeName) === 'VolumeMountUncertain' && found.hasPod(podUid, volumeName),
    isDeviceFound: found.has,
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
