import type { Pod } from '../objects/pod.js';

/** A volume as a container sees it. */
export interface MountedVolume {
  /** Folder or file on the node. */
  hostPath: string;
  readOnly: boolean;
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
