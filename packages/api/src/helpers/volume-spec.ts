import type { VolumeSpec } from '../contracts/volume-plugin.js';

/** The name by which a plugin and its folders know a volume: the persistent volume's, else the pod volume's. */
export function specName({ persistentVolume, volume }: VolumeSpec): string {
  return persistentVolume?.metadata?.name ?? volume?.name ?? '';
}

/** Whether the volume is a raw block device for its pods. */
export function isBlockVolume({ persistentVolume }: VolumeSpec): boolean {
  return persistentVolume?.spec?.volumeMode === 'Block';
}
