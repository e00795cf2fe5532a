import { Quantity, type QuantityText } from '@nodeagent/api';
import type { Capacity, OwnUsage } from './simulated-stats.js';

/** What a machine uses beside its pods: an amount, or a share of what it has, such as `95%`. */
export interface MachineUsage {
  memory?: QuantityText;
  disk?: QuantityText;
  /** Processes. */
  pids?: QuantityText;
}

/** The same in bytes and processes. Throws what cannot be read. */
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
