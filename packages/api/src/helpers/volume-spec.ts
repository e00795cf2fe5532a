import type { VolumeSpec } from '../contracts/volume-plugin.js';

/** The volume's name in plugins and directory paths: that of the persistent volume, else of the pod's volume. */
export function specName({ persistentVolume, volume }: VolumeSpec): string {
  return persistentVolume?.metadata?.name ?? volume?.name ?? '';
}

/** Whether the volume is a raw block device for its pods. */
export function isBlockVolume({ persistentVolume }: VolumeSpec): boolean {
  return persistentVolume?.spec?.volumeMode === 'Block';
}
