import type { ContainerStatus, Pod, PodCondition, PodRuntimeStatus, PodStatus, ProbeView, ResourceStatus } from '@nodeagent/api';
import type { EvictHandler } from './active-deadline.js';
import type { ContainerStatusesInput } from './container-statuses.js';
import type { PodResources } from './pod-resources.js';

/** Inputs of a pod's status, which are not changed. The status shares parts of them. */
export interface GenerateStatusInput
  extends Pick<ContainerStatusesInput, 'runtimeName' | 'waitingReasons' | 'allocatedResources' | 'supportsRecursiveReadOnly'> {
  pod: Pod;
  /** The runtime's status of the pod. */
  runtimeStatus: Pick<PodRuntimeStatus, 'ips' | 'containerStatuses' | 'activeContainerStatuses' | 'sandboxStatuses'>;
  /** The status manager's last status of the pod. Default: `pod.status`. */
  oldStatus?: PodStatus | undefined;
  /** Whether the pod's worker has terminated it, so that no container will start. */
  podIsTerminal: boolean;
  /** Wall-clock time in milliseconds. */
  now: number;
  /** The probes' results. Default: no container has probes. */
  probes?: ProbeView | undefined;
  /** Handlers that may terminate the pod; the first that does gives reason and message. Default: the active deadline. */
  evictHandlers?: readonly EvictHandler[] | undefined;
  /** The node's addresses, the primary family's first. Default: none, as on a node without API server. */
  hostIps?: readonly string[] | undefined;
  /** `PodResizePending` and `PodResizeInProgress`, where they apply. */
  resizeConditions?: readonly PodCondition[] | undefined;
  /** The health of devices by container (KEP-4680). */
  resourceHealth?: Readonly<Record<string, ResourceStatus[]>> | undefined;
  /** The actual and allocated pod-level resources (KEP-5419); not reported if absent. */
  podResources?: Partial<PodResources> | undefined;
}

/** What the fields of a status are generated from: the inputs, and what several fields share. */
export interface StatusFacts extends GenerateStatusInput {
  oldStatus: PodStatus;
  settled: Pick<PodStatus, 'phase' | 'reason' | 'message'>;
  addresses: Pick<PodStatus, 'hostIP' | 'hostIPs' | 'podIP' | 'podIPs'>;
  /** With `started` and `ready` by the probes. */
  containers: ContainerLists;
}

/** The statuses of a pod's containers. */
export interface ContainerLists {
  initContainerStatuses: ContainerStatus[];
  containerStatuses: ContainerStatus[];
  ephemeralContainerStatuses: ContainerStatus[];
}
