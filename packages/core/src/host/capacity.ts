import type { ResourceList } from '@nodeagent/api';
import { machineCapacity } from '@nodeagent/node-status/decisions';
import type { MachineResources } from './node-host.js';

/** The capacity of a machine, as of a Node without a limit of pods. */
export function capacityOf({ maxPids, ...machine }: MachineResources): ResourceList {
  const capacity = machineCapacity({ machine, maxPods: 0, podsPerCore: 0 });
  return {
    ...Object.fromEntries(Array.from(capacity, ([name, amount]) => [name, `${amount}`])),
    ...(maxPids !== undefined && { pid: `${maxPids}` }),
  };
}
