import type { Quantity, VolumePlugin } from '@nodeagent/api';

/** What is known of a volume that might have to grow, as the actual state of the world has it. */
interface ExpandableVolume {
  readonly claimSize: Quantity;
  readonly inUseExpansionError: boolean;
  readonly plugin: Pick<VolumePlugin, 'expandable'>;
}

/** Whether the node has to do its part of growing the volume: its persistent volume is larger than what the claim had. */
export function isExpansionNeeded(
  { claimSize, inUseExpansionError, plugin }: ExpandableVolume,
  desiredSize: Quantity | undefined,
): boolean {
  if (inUseExpansionError || desiredSize === undefined || claimSize.isZero || desiredSize.isZero) return false;
  return desiredSize.cmp(claimSize) > 0 && plugin.expandable?.requiresFSResize === true;
}
