import type { Pod } from '../objects/pod.js';

/** A volume as a container sees it. */
export interface MountedVolume {
  /** Folder or file on the node; of a block volume, its device. */
  hostPath: string;
  readOnly: boolean;
  /** Handed to containers as a device (`volumeMode: Block`), not mounted. Default false. */
  block?: boolean;
  /** Whether its files get the SELinux label of the container: managed by the node and able to be labelled, not labelled by its mount. Default false. */
  selinuxRelabel?: boolean;
}

/** Makes the volumes of pods available; the core calls it around a pod's life. */
export interface VolumeManager {
  /** Resolves when every volume of the pod is mounted; rejects with the kubelet's text when not in time. */
  waitForAttachAndMount(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Resolves when no volume of the ended pod is mounted any more. */
  waitForUnmount(pod: Pod, signal: AbortSignal): Promise<void>;
  /** By volume name; complete after {@link waitForAttachAndMount}. */
  getMountedVolumesForPod(podUid: string): ReadonlyMap<string, MountedVolume>;
}
