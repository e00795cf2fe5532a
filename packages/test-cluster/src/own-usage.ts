import type { QuantityText } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import type { Capacity, OwnUsage } from './simulated-stats.js';

/** Usage of a machine beside its pods: a quantity, or a share of its capacity, such as `95%`. */
export interface MachineUsage {
  memory?: QuantityText;
  disk?: QuantityText;
  /** Number of processes. */
  pids?: QuantityText;
}

/** The usage in bytes and processes. Throws for values that cannot be parsed. */
export function ownUsage({ memory = '0', disk = '0', pids = '0' }: MachineUsage, capacity: Capacity): OwnUsage {
  return {
    memoryBytes: amount(memory, capacity.memoryBytes),
    diskBytes: amount(disk, capacity.diskBytes),
    pids: amount(pids, capacity.pids),
  };
}

function amount(text: QuantityText, whole: number): number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  return percent === undefined ? Number(Quantity.parse(text).value()) : (Number(percent) / 100) * whole;
}
