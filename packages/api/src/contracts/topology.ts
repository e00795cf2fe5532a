import type { Container } from '../objects/container.js';
import type { Pod } from '../objects/pod.js';

/** The NUMA nodes that can provide a resource to a container: a hint of KEP-693, Topology Manager. */
export interface TopologyHint {
  /** Numbers of the NUMA nodes, ascending and without repetition. null: every node will do. */
  numaNodes: readonly number[] | null;
  /** Whether no set of fewer NUMA nodes could ever provide the resource. */
  preferred: boolean;
}

/**
 * Hints by name of resource. A resource with null has no preference; one with an empty list cannot be provided by any set of NUMA nodes. No
 * resource at all: the provider has no preference.
 */
export type TopologyHints = Readonly<Record<string, readonly TopologyHint[] | null>>;

/** A part that assigns resources with NUMA locality, such as the CPU, memory and device managers. */
export interface TopologyHintProvider {
  /** The hints for one container of a pod that is being admitted. Assigns nothing. */
  getTopologyHints(pod: Pod, container: Container): TopologyHints;
  /** The hints for all containers of the pod together. Assigns nothing. */
  getPodTopologyHints(pod: Pod): TopologyHints;
  /**
   * Assigns the resources that the container requests, from the NUMA nodes of the hint first. Idempotent: a container that has its resources
   * keeps them. Rejects if they cannot be assigned: with an `admissionError` to refuse the pod with its reason, such as `SMTAlignmentError`; any
   * other error refuses it with `UnexpectedAdmissionError`.
   */
  allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void>;
}

/** One logical CPU: cputopology.rst of the Linux documentation. */
export interface CpuInfo {
  /** Number of the logical CPU. */
  cpu: number;
  /** Number that identifies the physical core on the whole machine: the smallest CPU number of its threads. */
  core: number;
  /** Number of the socket (physical package). */
  socket: number;
  /** Number of the NUMA node. */
  numaNode: number;
  /**
   * Number that identifies the uncore cache on the whole machine: a last-level cache that only some CPUs of a NUMA node share. Equal to
   * `socket` where there is none.
   */
  uncoreCache: number;
}

/** One NUMA node. */
export interface NumaNodeInfo {
  /** Number of the node. */
  id: number;
  /** Memory in bytes, huge pages included. */
  memoryBytes: number;
  /** Huge pages by size. */
  hugePages: readonly { pageSizeKiB: number; pages: number }[];
  /** Distances to the nodes, in the order of the list of nodes: SLIT of the ACPI specification. 10 is the node itself. */
  distances: readonly number[];
}

/** CPUs and memory of the machine. Read from /sys by `@nodeagent/machine-topology`, or written by hand in a test. */
export interface MachineTopology {
  /** The online CPUs, ascending. */
  cpus: readonly CpuInfo[];
  /** The NUMA nodes, ascending; at least one. */
  numaNodes: readonly NumaNodeInfo[];
}
