import type { CpuManagerPolicyOptions, PolicyOptionGates } from '@nodeagent/cpu-manager';
import type { MemoryManagerPolicy, MemoryReservation } from '@nodeagent/memory-manager';
import type { TopologyManagerPolicy, TopologyManagerPolicyOptions, TopologyManagerScope } from '@nodeagent/topology-manager';

/**
 * CPUs, memory and devices for single containers, with NUMA locality. Names, values and defaults are those of KubeletConfiguration. Only
 * managers that are on are loaded.
 */
export interface AgentResourceManagers {
  /** `static`: containers of Guaranteed pods that request whole CPUs get exclusive ones. Needs `settings.cgroupsPerQOS`. Default `none`. */
  cpuManagerPolicy?: 'none' | 'static';
  /** Default none. */
  cpuManagerPolicyOptions?: CpuManagerPolicyOptions;
  /** `cpuManagerReconcilePeriod` in milliseconds. Default 10000. */
  cpuManagerReconcilePeriodMs?: number;
  /** The CPUs that the static policy reserves, such as `0-1`, as many as are reserved. Default: chosen by topology. */
  reservedSystemCPUs?: string;
  /** `Static`: containers of Guaranteed pods get memory of chosen NUMA nodes. Needs `reservedMemory`. Default `None`. */
  memoryManagerPolicy?: MemoryManagerPolicy;
  /** What is reserved on each NUMA node; together all that is reserved of the node. Default none. */
  reservedMemory?: readonly MemoryReservation[];
  /** Which NUMA locality a pod must have to be admitted. Default `none`. */
  topologyManagerPolicy?: TopologyManagerPolicy;
  /** Whether the resources of a container or of a pod are aligned. Default `container`. */
  topologyManagerScope?: TopologyManagerScope;
  /** Default none. */
  topologyManagerPolicyOptions?: TopologyManagerPolicyOptions;
  /** Gates of `cpuManagerPolicyOptions`. Default: the kubelet's. */
  featureGates?: PolicyOptionGates;
}

/** The resource managers that an agent has. */
export interface ManagersInUse {
  cpus: boolean;
  memory: boolean;
  topology: boolean;
}

/** The managers that the options turn on; undefined if there are none. */
export function managersInUse(options: AgentResourceManagers = {}): ManagersInUse | undefined {
  const { cpuManagerPolicy = 'none', memoryManagerPolicy = 'None', topologyManagerPolicy = 'none' } = options;
  const inUse = { cpus: cpuManagerPolicy !== 'none', memory: memoryManagerPolicy !== 'None', topology: topologyManagerPolicy !== 'none' };
  return Object.values(inUse).includes(true) ? inUse : undefined;
}
