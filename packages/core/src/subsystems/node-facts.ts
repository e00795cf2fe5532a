import type { Pod, ResourceList } from '@nodeagent/api';

/** What the agent's parts ask about its node. */
export interface NodeFacts {
  /** The node's addresses, its primary one first. */
  hostIps(): readonly string[];
  /** What the node has for pods. */
  allocatable(): ResourceList;
  /** The pods that take of it. */
  activePods(): Pod[];
}
