import type { MachineTopology, ResourceList } from '@nodeagent/api';
import type { RunningContainer } from './running-containers.js';

/** What the resource managers read once, when the agent starts. */
export interface NodeAtStart {
  topology: MachineTopology;
  /** What Node Allocatable reserves: for the system, for Kubernetes, and by hard eviction thresholds. */
  nodeAllocatableReservation: ResourceList;
  /** The containers that ran when the agent started. */
  running: readonly RunningContainer[];
}
