import type { CpuSet } from '@nodeagent/api/helpers';
import type { CpuTopology } from './cpu-topology.js';
import type { StaticPolicyOptions } from './policy-options.js';
import { takeDistributed } from './take-distributed.js';
import { takePacked } from './take-packed.js';

/** The policy options that decide which CPUs are taken. Default: all false. */
export type TakeOptions = Partial<
  Pick<StaticPolicyOptions, 'fullPCPUsOnly' | 'distributeCPUsAcrossNUMA' | 'distributeCPUsAcrossCores' | 'preferAlignByUncoreCache'>
>;

/**
 * Chooses `count` of the available CPUs as the static policy does: Kubernetes documentation, "Control CPU Management Policies on the Node". A
 * pure function. Throws `NotEnoughCpus`.
 */
export function takeByTopology(topology: CpuTopology, available: CpuSet, count: number, options: TakeOptions = {}): CpuSet {
  if (options.distributeCPUsAcrossNUMA) {
    return takeDistributed(topology, available, count, options.fullPCPUsOnly ? topology.cpusPer('core') : 1);
  }
  return takePacked(topology, available, count, {
    spreadOverCores: options.distributeCPUsAcrossCores ?? false,
    preferUncoreCaches: options.preferAlignByUncoreCache ?? false,
  });
}
