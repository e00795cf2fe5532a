import type { Quantity } from '@nodeagent/api';
import type { AttachedVolume } from './actual-world.js';

/** Whether the node has to do its part of growing the volume: its persistent volume is larger than what the claim had. */
export function isExpansionNeeded(
  { claimSize, inUseExpansionError, plugin }: Pick<AttachedVolume, 'claimSize' | 'inUseExpansionError' | 'plugin'>,
  desiredSize: Quantity | undefined,
): boolean {
  if (inUseExpansionError || desiredSize === undefined || claimSize.isZero || desiredSize.isZero) return false;
  return desiredSize.cmp(claimSize) > 0 && plugin.expandable?.requiresFSResize === true;
}
