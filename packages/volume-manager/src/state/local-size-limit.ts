import type { Pod, VolumeSpec } from '@nodeagent/api';
import { podLimits, Quantity, volumeDiskUse } from '@nodeagent/api/helpers';

/**
 * Limit of the volume in bytes of the node's disk: the pod's limit of ephemeral storage (0 if it has none), or a smaller
 * `sizeLimit` of the volume. Undefined for volumes that do not use the node's disk.
 */
export function localSizeLimit(pod: Pod, { volume }: VolumeSpec): bigint | undefined {
  if (volume === undefined || volumeDiskUse(volume) !== 'pod') return undefined;
  const ofPod = podLimits(pod).get('ephemeral-storage')?.value() ?? 0n;
  const own = Quantity.parse(volume.emptyDir?.sizeLimit ?? '0').value();
  return own > 0n && (own < ofPod || ofPod === 0n) ? own : ofPod;
}
