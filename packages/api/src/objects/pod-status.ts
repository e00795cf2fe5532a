import type { ResourceRequirements } from './container.js';
import type { ResourceList, Time } from './meta.js';

/** `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`: Kubernetes documentation, "Pod Lifecycle". */
export type PodPhase = string;

export interface PodStatus {
  observedGeneration?: number;
  phase?: PodPhase;
  conditions?: PodCondition[];
  message?: string;
  reason?: string;
  nominatedNodeName?: string;
  hostIP?: string;
  hostIPs?: { ip?: string }[];
  podIP?: string;
  podIPs?: { ip?: string }[];
  startTime?: Time | null;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
  /** `Guaranteed`, `Burstable` or `BestEffort`. */
  qosClass?: string;
  resize?: string;
  resourceClaimStatuses?: { name: string; resourceClaimName?: string }[];
  extendedResourceClaimStatus?: {
    resourceClaimName?: string;
    requestMappings?: { containerName: string; resourceName: string; requestName: string }[];
  };
  nodeAllocatableResourceClaimStatuses?: unknown[];
  /** The actual pod-level resources. */
  resources?: ResourceRequirements;
  allocatedResources?: ResourceList;
}

export interface PodCondition {
  type: string;
  /** `True`, `False` or `Unknown`. */
  status: string;
  observedGeneration?: number;
  lastProbeTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

export interface ContainerStatus {
  name: string;
  state?: ContainerState;
  lastState?: ContainerState;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
  started?: boolean;
  allocatedResources?: ResourceList;
  resources?: ResourceRequirements;
  volumeMounts?: VolumeMountStatus[];
  user?: { linux?: { uid: number; gid: number; supplementalGroups?: number[] } };
  allocatedResourcesStatus?: ResourceStatus[];
  stopSignal?: string;
}

/** Devices of a resource; their health is `Healthy`, `Unhealthy` or `Unknown`. */
export interface ResourceStatus {
  name: string;
  resources?: { resourceID: string; health?: string; message?: string }[];
}

/** One of the three. None means that the container waits without a reason. */
export interface ContainerState {
  waiting?: ContainerStateWaiting;
  running?: ContainerStateRunning;
  terminated?: ContainerStateTerminated;
}

export interface ContainerStateWaiting {
  reason?: string;
  message?: string;
}

export interface ContainerStateRunning {
  startedAt?: Time | null;
}

export interface ContainerStateTerminated {
  exitCode: number;
  signal?: number;
  reason?: string;
  message?: string;
  startedAt?: Time | null;
  finishedAt?: Time | null;
  containerID?: string;
}

export interface VolumeMountStatus {
  name: string;
  mountPath: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  volumeStatus?: unknown;
}
