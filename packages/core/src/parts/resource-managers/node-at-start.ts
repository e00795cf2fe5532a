import type { Clock, Logger, MachineTopology, Metrics, Pod, ResourceList, StatusManager } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import type { NodeHost } from '../../host/node-host.js';
import type { RunningContainer } from './running-containers.js';

/** What the resource managers of an agent have in common. */
export interface ManagerContext {
  rootDir: string;
  topology: MachineTopology;
  /** What Node Allocatable reserves: for the system, for Kubernetes, and by hard eviction thresholds. */
  nodeAllocatableReservation: ResourceList;
  /** The containers that ran when the agent started. */
  running: readonly RunningContainer[];
  stateFile: NodeHost['stateFile'];
  runtime: Pick<RuntimeService, 'updateContainerResources'>;
  activePods(): readonly Pod[];
  /** Whether containers of a removed pod may still run. */
  couldHaveRunningContainers(podUID: string): boolean;
  statusManager: Pick<StatusManager, 'getPodStatus'>;
  sourcesReady(): boolean;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}
