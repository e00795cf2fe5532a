import type { VolumePlugin } from '@nodeagent/api';
import type { Quantity } from '@nodeagent/api/helpers';

/** The facts of an actual volume that decide whether it must be expanded. */
interface ExpandableVolume {
  readonly claimSize: Quantity;
  readonly inUseExpansionError: boolean;
  readonly plugin: Pick<VolumePlugin, 'expandable'>;
}

/** Whether the node must expand the volume: the persistent volume is larger than the claim's recorded size. */
export function isExpansionNeeded(
  { claimSize, inUseExpansionError, plugin }: ExpandableVolume,
  desiredSize: Quantity | undefined,
): boolean {
  if (inUseExpansionError || desiredSize === undefined || claimSize.isZero || desiredSize.isZero) return false;
  return desiredSize.cmp(claimSize) > 0 && plugin.expandable?.requiresFSResize === true;
}
