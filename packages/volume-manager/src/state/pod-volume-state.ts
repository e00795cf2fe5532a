import type { Quantity } from '@nodeagent/api/helpers';

/** How a pod's volume differs from the desired state; if several apply, the first in this order. */
export type PodVolumeState =
  | { state: 'NotAttached' | 'NotMounted' | 'RemountRequired' | 'Mounted'; devicePath: string }
  | { state: 'ResizeRequired'; devicePath: string; currentSize: Quantity };

/** The kubelet's message about the operation that a pod's volume needs; undefined if the volume is mounted, or just not mounted. */
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
