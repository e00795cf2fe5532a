import type { Pod, ResourceList } from '@nodeagent/api';

/** Facts about the node that the agent's parts read. */
export interface NodeFacts {
  /** The node's addresses, the primary one first. */
  hostIps(): readonly string[];
  /** Allocatable resources. */
  allocatable(): ResourceList;
  /** The pods that use allocatable resources. */
  activePods(): Pod[];
}
