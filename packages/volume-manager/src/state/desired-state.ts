import { NodeAgentError, type Pod, type VolumeSpec } from '@nodeagent/api';
import { podUid, Quantity, specName } from '@nodeagent/api/helpers';
import { volumeManagerErrorCodes } from '../errors.js';
import { type ResolvedVolume, uniqueVolumeName } from '../plugin-registry.js';
import { localSizeLimit } from './local-size-limit.js';

/** A volume to mount for a pod. */
export interface VolumeToMount {
  readonly volumeName: string;
  readonly podUid: string;
  readonly pod: Pod;
  readonly resolved: ResolvedVolume;
  /** Names of the volume in the pod; more than one if the pod uses the claim in several volumes. */
  readonly outerNames: readonly string[];
  /** Whether the volume must be attached; can become false. */
  readonly attachable: boolean;
  readonly deviceMountable: boolean;
  /** The group in the persistent volume's annotation, unparsed; empty if none. */
  readonly gid: string;
  /** Whether the Node's status lists the volume in `volumesInUse`. */
  readonly reportedInUse: boolean;
  /** Limit in bytes of a volume on the node's disk; 0 for no limit. */
  readonly sizeLimit: bigint | undefined;
  /** The capacity of its persistent volume. */
  readonly persistentVolumeSize: Quantity | undefined;
  /** The SELinux label to mount the volume with; empty for none. */
  readonly seLinuxLabel: string;
  /** When the pod first requested the volume, or last requested a remount. Monotonic milliseconds. */
  readonly requestedAt: number;
}

interface DesiredPod {
  pod: Pod;
  resolved: ResolvedVolume;
  outerNames: string[];
  requestedAt: number;
}

interface DesiredVolume {
  attachable: boolean;
  deviceMountable: boolean;
  gid: string;
  reportedInUse: boolean;
  sizeLimit: bigint | undefined;
  persistentVolumeSize: Quantity | undefined;
  seLinuxLabel: string;
  pods: Map<string, DesiredPod>;
}

/** A pod's volume to add to the desired state. */
export interface DesiredPodVolume {
  pod: Pod;
  resolved: ResolvedVolume;
  outerName: string;
  gid: string;
  /** Default: no label. */
  seLinuxLabel?: string;
  now: number;
}

/** The desired state of the world: volumes to mount by unique name, with their pods by UID. */
export interface DesiredState {
  /**
   * Adds the volume, or another name for it, or replaces the pod. Returns the volume's unique name. Throws `MultipleSELinuxLabels` if other
   * pods use the volume with another label.
   */
  addPodToVolume(added: DesiredPodVolume): string;
  /** Also clears the pod's errors. */
  deletePodFromVolume(podUid: string, volumeName: string): void;
  /** Marks exactly these volumes as reported in use. Returns whether that changed any volume. */
  markVolumesReportedInUse(volumeNames: readonly string[]): boolean;
  markVolumeAttachability(volumeName: string, attachable: boolean): void;
  updatePersistentVolumeSize(volumeName: string, size: Quantity): void;
  /** With a label: only if the volume is desired with that label. */
  volumeExists(volumeName: string, seLinuxLabel?: string): boolean;
  podExistsInVolume(podUid: string, volumeName: string, seLinuxLabel?: string): boolean;
  /** Whether a volume of the pod has this folder name. */
  volumeExistsWithSpecName(podUid: string, name: string): boolean;
  /** UIDs of the pods with volumes. */
  podUids(): Iterable<string>;
  /** Unique names of the pod's volumes by their names in the pod. */
  volumeNamesOfPod(podUid: string): Map<string, string>;
  volumeToMount(podUid: string, volumeName: string): VolumeToMount | undefined;
  volumesToMount(): Iterable<VolumeToMount>;
  /** Records why a volume of the pod was not added; keeps a few errors, each message once. */
  addErrorToPod(podUid: string, message: string): void;
  /** Returns the pod's errors, sorted, and clears them. */
  popPodErrors(podUid: string): string[];
  clearPodErrors(podUid: string): void;
  podsWithErrors(): string[];
  /** Number of volumes by plugin name. */
  countByPlugin(): Map<string, number>;
}

/** Errors kept for a pod; the eleventh is the last. */
const maxPodErrors = 10;

export function createDesiredState(): DesiredState {
  return new VolumesToMount();
}

class VolumesToMount implements DesiredState {
  readonly #volumes = new Map<string, DesiredVolume>();
  /** Index of volumes by pod, so that queries about a pod do not visit all volumes. */
  readonly #namesByPod = new Map<string, Set<string>>();
  readonly #podErrors = new Map<string, Set<string>>();

  addPodToVolume({ pod, resolved, outerName, gid, seLinuxLabel = '', now }: DesiredPodVolume): string {
    const uid = podUid(pod);
    const volumeName = uniqueVolumeName(resolved, uid);
    const volume = this.#volumes.get(volumeName) ?? newVolume({ pod, resolved, gid, seLinuxLabel });
    this.#volumes.set(volumeName, volume);
    if (volume.seLinuxLabel !== seLinuxLabel) throw conflictingLabels(specName(resolved.spec), volume.seLinuxLabel, seLinuxLabel);
    const before = volume.pods.get(uid);
    const outerNames = before?.outerNames ?? [];
    volume.pods.set(uid, {
      pod,
      resolved,
      outerNames: outerNames.includes(outerName) ? outerNames : [...outerNames, outerName],
      requestedAt: before === undefined || resolved.plugin.requiresRemount(resolved.spec) ? now : before.requestedAt,
    });
    const names = this.#namesByPod.get(uid) ?? new Set();
    this.#namesByPod.set(uid, names.add(volumeName));
    return volumeName;
  }

  deletePodFromVolume(uid: string, volumeName: string): void {
    this.#podErrors.delete(uid);
    const volume = this.#volumes.get(volumeName);
    if (!volume?.pods.delete(uid)) return;
    if (volume.pods.size === 0) this.#volumes.delete(volumeName);
    const names = this.#namesByPod.get(uid);
    names?.delete(volumeName);
    if (names?.size === 0) this.#namesByPod.delete(uid);
  }

  markVolumesReportedInUse(volumeNames: readonly string[]): boolean {
    const reported = new Set(volumeNames);
    let hasChanged = false;
    for (const [name, volume] of this.#volumes) {
      if (volume.reportedInUse === reported.has(name)) continue;
      volume.reportedInUse = !volume.reportedInUse;
      hasChanged = true;
    }
    return hasChanged;
  }

  markVolumeAttachability(volumeName: string, attachable: boolean): void {
    const volume = this.#volumes.get(volumeName);
    if (volume) volume.attachable = attachable;
  }

  updatePersistentVolumeSize(volumeName: string, size: Quantity): void {
    const volume = this.#volumes.get(volumeName);
    if (volume) volume.persistentVolumeSize = size;
  }

  volumeExists(volumeName: string, label?: string): boolean {
    const volume = this.#volumes.get(volumeName);
    return volume !== undefined && (label === undefined || label === volume.seLinuxLabel);
  }

  podExistsInVolume(uid: string, volumeName: string, label?: string): boolean {
    return this.volumeExists(volumeName, label) && this.#podOf(uid, volumeName) !== undefined;
  }

  volumeExistsWithSpecName(uid: string, name: string): boolean {
    for (const volumeName of this.#namesOf(uid)) {
      const entry = this.#podOf(uid, volumeName);
      if (entry && specName(entry.resolved.spec) === name) return true;
    }
    return false;
  }

  podUids(): Iterable<string> {
    return this.#namesByPod.keys();
  }

  volumeNamesOfPod(uid: string): Map<string, string> {
    const names = new Map<string, string>();
    for (const volumeName of this.#namesOf(uid))
      for (const outerName of this.#podOf(uid, volumeName)?.outerNames ?? []) names.set(outerName, volumeName);
    return names;
  }

  volumeToMount(uid: string, volumeName: string): VolumeToMount | undefined {
    const volume = this.#volumes.get(volumeName);
    const entry = volume?.pods.get(uid);
    return volume && entry && toMount(volumeName, volume, uid, entry);
  }

  *volumesToMount(): Iterable<VolumeToMount> {
    for (const [volumeName, volume] of this.#volumes) for (const [uid, entry] of volume.pods) yield toMount(volumeName, volume, uid, entry);
  }

  addErrorToPod(uid: string, message: string): void {
    const errors = this.#podErrors.get(uid) ?? new Set();
    if (errors.size <= maxPodErrors) errors.add(message);
    this.#podErrors.set(uid, errors);
  }

  popPodErrors(uid: string): string[] {
    const errors = [...(this.#podErrors.get(uid) ?? [])].sort();
    this.#podErrors.delete(uid);
    return errors;
  }

  clearPodErrors(uid: string): void {
    this.#podErrors.delete(uid);
  }

  podsWithErrors(): string[] {
    return [...this.#podErrors.keys()];
  }

  countByPlugin(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { pods } of this.#volumes.values())
      for (const { resolved } of pods.values()) counts.set(resolved.plugin.name, (counts.get(resolved.plugin.name) ?? 0) + 1);
    return counts;
  }

  #podOf(uid: string, volumeName: string): DesiredPod | undefined {
    return this.#volumes.get(volumeName)?.pods.get(uid);
  }

  /** The unique names of the pod's volumes. */
  #namesOf(uid: string): ReadonlySet<string> {
    return this.#namesByPod.get(uid) ?? new Set();
  }
}

function newVolume({
  pod,
  resolved,
  gid,
  seLinuxLabel,
}: Pick<DesiredPodVolume, 'pod' | 'resolved' | 'gid'> & { seLinuxLabel: string }): DesiredVolume {
  return {
    attachable: resolved.attachable,
    deviceMountable: resolved.deviceMountable,
    gid,
    reportedInUse: false,
    sizeLimit: localSizeLimit(pod, resolved.spec),
    persistentVolumeSize: capacityOf(resolved.spec),
    seLinuxLabel,
    pods: new Map(),
  };
}

function toMount(volumeName: string, volume: DesiredVolume, uid: string, entry: DesiredPod): VolumeToMount {
  return {
    volumeName,
    podUid: uid,
    pod: entry.pod,
    resolved: entry.resolved,
    outerNames: entry.outerNames,
    attachable: volume.attachable,
    deviceMountable: volume.deviceMountable,
    gid: volume.gid,
    reportedInUse: volume.reportedInUse,
    sizeLimit: volume.sizeLimit,
    persistentVolumeSize: volume.persistentVolumeSize,
    seLinuxLabel: volume.seLinuxLabel,
    requestedAt: entry.requestedAt,
  };
}

function conflictingLabels(name: string, existing: string, wanted: string): NodeAgentError {
  return new NodeAgentError(
    volumeManagerErrorCodes.multipleSELinuxLabels,
    `conflicting SELinux labels of volume ${name}: "${existing}" and "${wanted}"`,
  );
}

function capacityOf({ persistentVolume }: VolumeSpec): Quantity | undefined {
  if (persistentVolume === undefined) return undefined;
  const capacity = persistentVolume.spec?.capacity?.storage;
  return capacity === undefined ? Quantity.zero : Quantity.parse(capacity);
}
