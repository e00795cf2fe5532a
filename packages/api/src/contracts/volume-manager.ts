import type { Pod } from '../objects/pod.js';
import type { Startable } from './lifecycle.js';
import type { VolumeStatsSource } from './volume-stats.js';

/** A volume as a container sees it. */
export interface MountedVolume {
  /** Directory or file on the node; for a block volume, its device. */
  hostPath: string;
  readOnly: boolean;
  /** The volume's name in directory paths: that of its persistent volume, else its name in the pod. */
  specName?: string;
  /** Containers get it as a device (`volumeMode: Block`) instead of a mount. Default false. */
  block?: boolean;
  /**
   * Whether the runtime relabels the files with the container's SELinux label: the volume supports labels and is not mounted with one.
   * Default false.
   */
  selinuxRelabel?: boolean;
}

/**
 * Mounts the volumes of pods before their containers start, and unmounts them after they have stopped. Calls may run concurrently, also for
 * the same pod.
 */
export interface VolumeManager {
  /**
   * Resolves when every volume of the pod is mounted. Also triggers an update of their content, without waiting for it. Idempotent. Rejects
   * with the kubelet's text (`unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: ...`) on a timeout, with
   * `VolumeAttachmentLimitExceeded` if the node's attachment limit is reached, and with the signal's reason when it aborts.
   */
  waitForAttachAndMount(pod: Pod, signal: AbortSignal): Promise<void>;
  /**
   * Resolves when no volume of the terminated pod is mounted. Idempotent. Rejects on a timeout, and with the signal's reason when it
   * aborts.
   */
  waitForUnmount(pod: Pod, signal: AbortSignal): Promise<void>;
  /**
   * By volume name; complete after {@link VolumeManager.waitForAttachAndMount}, empty after {@link VolumeManager.waitForUnmount} and for an
   * unknown pod. A copy.
   */
  getMountedVolumesForPod(podUid: string): ReadonlyMap<string, MountedVolume>;
  /**
   * Whether a volume of the pod is or may be mounted, also from before a restart; the pod's directory must then not be removed. False for
   * an unknown pod.
   */
  hasPossiblyMountedVolumesForPod(podUid: string): boolean;
}

/**
 * A {@link VolumeManager} with a reconciliation loop that mounts and unmounts volumes for the current pods. The agent starts and stops it.
 */
export interface ReconcilingVolumeManager extends Startable {
  /** Notifies the manager that the pods, the readiness of pod sources or the termination of pods may have changed. Cheap; never throws. */
  podsChanged(): void;
}

/** A {@link VolumeManager} that supports attachable volumes: Kubernetes documentation, "Node Status", `volumesInUse`. */
export interface AttachingVolumeManager {
  /** Sorted unique names of the attachable volumes that pods need or that are attached: the node's `status.volumesInUse`. */
  getVolumesInUse(): string[];
  /**
   * Reports the names that the node's `status.volumesInUse` now contains. The manager mounts a volume only after its name was reported;
   * names that are missing count as no longer reported.
   */
  markVolumesAsReportedInUse(volumeNames: readonly string[]): void;
  /** Whether the volumes found after a restart have been reconstructed. The caller must not update `volumesInUse` before that. */
  reconcilerStatesHasBeenSynced(): boolean;
}

/**
 * A {@link VolumeManager} that supports volumes with supplemental groups, such as those of the annotation `pv.beta.kubernetes.io/gid` of a
 * PersistentVolume.
 */
export interface GroupingVolumeManager {
  /** Supplemental groups that the pod's mounted volumes require in addition to those of its spec. */
  getExtraSupplementalGroupsForPod(pod: Pod): number[];
}

/** A {@link VolumeManager} with all capabilities; `@nodeagent/volume-manager` implements it. */
export interface NodeVolumeManager
  extends VolumeManager,
    ReconcilingVolumeManager,
    AttachingVolumeManager,
    GroupingVolumeManager,
    VolumeStatsSource {
  volumeIsAttached(volumeName: string): boolean;
}
