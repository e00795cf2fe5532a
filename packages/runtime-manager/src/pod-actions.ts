import type { Pod, PodRuntimeStatus, ProbeResults, ResourceRequirements, SyncReason } from '@nodeagent/api';
import type { KillReason } from './container-grace-period.js';
import type { ResourceValues } from './resource-values.js';

/** What {@link computePodActions} decides from. */
export interface PodActionsInput {
  pod: Pod;
  /** What the runtime has of the pod. */
  status: Pick<PodRuntimeStatus, 'sandboxStatuses' | 'containerStatuses'>;
  probeResults: Pick<ProbeResults, 'liveness' | 'startup'>;
  /** The resources last applied to each container, by name; a missing one counts as none applied. */
  actuated: ReadonlyMap<string, ResourceRequirements>;
  /** The pod-level resources last applied. */
  actuatedPod?: ResourceRequirements;
  /** The pod's condition AllContainersRestarting is true. Default false. */
  restartAllContainers?: boolean;
}

/** A container to stop, and why. */
export interface ContainerToKill {
  name: string;
  /** The text of its Killing event; empty for the usual one. */
  message: string;
  reason: KillReason;
}

/** An instance to remove, so that its container starts from the beginning. */
export interface ContainerToReset {
  id: string;
  name: string;
  /** It has not exited: stop it first. */
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

/** The steps from what the runtime has of a pod towards what its spec wants. Numbers are positions in the spec. */
export interface PodActions {
  /** Stop all containers and the sandbox. */
  killPod: boolean;
  createSandbox: boolean;
  /** The sandbox in use, or the one that is replaced. */
  sandboxId: string;
  /** Attempt of the sandbox in use or to be created. */
  attempt: number;
  initContainersToStart: number[];
  containersToStart: number[];
  ephemeralContainersToStart: number[];
  /** By container id. */
  containersToKill: Map<string, ContainerToKill>;
  /** In the order to apply them: decreases first. */
  containersToUpdate: Partial<Record<ResizableResource, ContainerToUpdate[]>>;
  /** A container restarts with other resources: the pod's cgroup must follow. */
  updatePodResources: boolean;
  updatePodLevelResources: boolean;
  /** In the order to remove them. */
  containersToReset: ContainerToReset[];
  /** Why each of the above. */
  reasons: SyncReason[];
}
