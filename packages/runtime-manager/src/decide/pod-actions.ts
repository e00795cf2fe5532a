import type { Pod, PodRuntimeStatus, ProbeResults, ResourceRequirements, SyncReason } from '@nodeagent/api';
import type { KillReason } from './container-grace-period.js';
import type { ResourceValues } from './resource-values.js';

/** Input of {@link computePodActions}. */
export interface PodActionsInput {
  pod: Pod;
  /** The pod's observed sandboxes and containers. */
  status: Pick<PodRuntimeStatus, 'sandboxStatuses' | 'containerStatuses'>;
  probeResults: Pick<ProbeResults, 'liveness' | 'startup'>;
  /** The resources last applied to each container, by name; a container without an entry has none. */
  actuated: ReadonlyMap<string, ResourceRequirements>;
  /** The pod-level resources last applied. */
  actuatedPod?: ResourceRequirements;
  /** The pod's condition AllContainersRestarting is true. Default false. */
  restartAllContainers?: boolean;
  /** Ephemeral containers that have started, also if `status` has no instance of them. Default: none. */
  startedEphemeralContainers?: ReadonlySet<string>;
}

/** A container to stop, and why. */
export interface ContainerToKill {
  id: string;
  name: string;
  /** The message of its Killing event; empty for the default one. */
  message: string;
  reason: KillReason;
}

/** A container instance to remove, so that its container starts again. */
export interface ContainerToReset {
  id: string;
  name: string;
  /** The container has not exited: stop it first. */
  kill: boolean;
}

/** A running container whose resources change in place. */
export interface ContainerToUpdate {
  id: string;
  name: string;
  from: ResourceValues;
  to: ResourceValues;
}

export type ResizableResource = 'cpu' | 'memory';

/** The steps from a pod's observed state to its spec: plain data, which `JSON.stringify` keeps. Containers to start are positions in the spec. */
export interface PodActions {
  /** Stop all containers and the sandbox. */
  killPod: boolean;
  createSandbox: boolean;
  /** The current sandbox, or the one to replace. */
  sandboxId: string;
  /** Attempt of the current sandbox, or of the one to create. */
  attempt: number;
  initContainersToStart: number[];
  containersToStart: number[];
  ephemeralContainersToStart: number[];
  containersToKill: ContainerToKill[];
  /** In the order of application: decreases first. */
  containersToUpdate: Partial<Record<ResizableResource, ContainerToUpdate[]>>;
  /** A container restarts with changed resources: the pod's cgroup must be updated. */
  updatePodResources: boolean;
  updatePodLevelResources: boolean;
  /** In the order of removal. */
  containersToReset: ContainerToReset[];
  /** The reason for each action. */
  reasons: SyncReason[];
}
