import type { Pod } from '../objects/pod.js';
import type { Startable } from './lifecycle.js';
import type { VolumeStatsSource } from './volume-stats.js';

/** A volume as a container sees it. */
export interface MountedVolume {
  /** Folder or file on the node; of a block volume, its device. */
  hostPath: string;
  readOnly: boolean;
  /** The name that the volume's folders have: its persistent volume's, else its own in the pod. */
  specName?: string;
  /** Handed to containers as a device (`volumeMode: Block`), not mounted. Default false. */
  block?: boolean;
  /** Whether its files get the SELinux label of the container: managed by the node and able to be labelled, not labelled by its mount. Default false. */
  selinuxRelabel?: boolean;
}

/** Makes the volumes of pods available; the core calls it around a pod's life. Calls for one pod or for several may run at once. */
export interface VolumeManager {
  /**
   * Resolves when every volume of the pod is mounted, and has their content brought up to date without waiting for that; idempotent.
   * Rejects with the kubelet's text (`unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: ...`) when not in
   * time, with `VolumeAttachmentLimitExceeded` if the node can have no more volumes, and with the signal's reason when it aborts.
   */
  waitForAttachAndMount(pod: Pod, signal: AbortSignal): Promise<void>;
  /**
   * Resolves when no volume of the ended pod is mounted any more; idempotent. Rejects when not in time, and with the signal's reason when
   * it aborts.
   */
  waitForUnmount(pod: Pod, signal: AbortSignal): Promise<void>;
  /**
   * By volume name; complete after {@link VolumeManager.waitForAttachAndMount}, empty after {@link VolumeManager.waitForUnmount} and for an
   * unknown pod. A copy.
   */
  getMountedVolumesForPod(podUid: string): ReadonlyMap<string, MountedVolume>;
  /** Whether a volume of the pod is mounted or may be: its folder must stay. Also true for what a restart left; false for an unknown pod. */
  hasPossiblyMountedVolumesForPod(podUid: string): boolean;
}

/** A {@link VolumeManager} with a loop of its own, which mounts and unmounts by what the pods are. Started and stopped with the agent. */
export interface ReconcilingVolumeManager extends Startable {
  /** Pods, the sources of pods, or how far pods' ends are may have changed: the manager looks at them again. Cheap; never throws. */
  podsChanged(): void;
}

/** A {@link VolumeManager} of volumes that are attached to the node: Kubernetes documentation, "Node Status", `volumesInUse`. */
export interface AttachingVolumeManager {
  /** Sorted unique names of attachable volumes that are wanted or attached: the node's `status.volumesInUse`. */
  getVolumesInUse(): string[];
  /** What the node's `status.volumesInUse` says by now: volumes are mounted only once it names them. Those that are missing are no longer reported. */
  markVolumesAsReportedInUse(volumeNames: readonly string[]): void;
  /** Whether what was found after a restart has been settled: before that `volumesInUse` must not be written. */
  reconcilerStatesHasBeenSynced(): boolean;
}

/** A {@link VolumeManager} of volumes that ask for groups, as by the annotation `pv.beta.kubernetes.io/gid` of a PersistentVolume. */
export interface GroupingVolumeManager {
  /** Groups that the pod's mounted volumes ask its processes to have, beside those that it has. */
  getExtraSupplementalGroupsForPod(pod: Pod): number[];
}

/** A {@link VolumeManager} with all capabilities, as `@nodeagent/volume-manager` makes it. */
export interface NodeVolumeManager
  extends VolumeManager,
    ReconcilingVolumeManager,
    AttachingVolumeManager,
    GroupingVolumeManager,
    VolumeStatsSource {
  volumeIsAttached(volumeName: string): boolean;
}
