import type { Quantity } from '@nodeagent/api';

/** How a pod's volume compares with what is wanted; of several that apply the first in this order. */
export type PodVolumeState =
  | { state: 'NotAttached' | 'NotMounted' | 'RemountRequired' | 'Mounted'; devicePath: string }
  | { state: 'ResizeRequired'; devicePath: string; currentSize: Quantity };

/** Why something is to be done about a pod's volume, in the kubelet's words; undefined if it is simply mounted or not. */
export function describePodVolumeState({ state }: PodVolumeState, volumeName: string, podUid: string): string | undefined {
  switch (state) {
    case 'NotAttached':
      return `volumeName "${volumeName}" does not exist in the list of attached volumes`;
    case 'RemountRequired':
      return `volumeName "${volumeName}" is mounted to "${podUid}" but should be remounted`;
    case 'ResizeRequired':
      return `volumeName "${volumeName}" mounted to "${podUid}" needs to resize file system`;
    default:
      return undefined;
  }
}
