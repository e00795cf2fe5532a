import type { ObjectMeta, ResourceList, Time } from './meta.js';

/** A node as plain API JSON (`v1`, `Node`). */
export interface Node {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: NodeSpec;
  status?: NodeStatus;
}

export interface NodeSpec {
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
  unschedulable?: boolean;
  taints?: Taint[];
}

export interface Taint {
  key: string;
  value?: string;
  /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. */
  effect: string;
  timeAdded?: Time | null;
}

export interface NodeStatus {
  capacity?: ResourceList;
  allocatable?: ResourceList;
  phase?: string;
  conditions?: NodeCondition[];
  addresses?: NodeAddress[];
  nodeInfo?: NodeSystemInfo;
  daemonEndpoints?: NodeDaemonEndpoints;
  images?: ContainerImage[];
  volumesInUse?: string[];
  volumesAttached?: { name: string; devicePath: string }[];
  config?: NodeConfigStatus;
  /** Sorted by name. */
  runtimeHandlers?: NodeRuntimeHandler[];
  features?: NodeFeatures;
  /** Features that the node declares to the scheduler (KEP-5328), sorted. */
  declaredFeatures?: string[];
}

/** Ports on which the node's daemons listen. */
export interface NodeDaemonEndpoints {
  kubeletEndpoint?: {
    /** Upper case, as the API has it. */
    Port: number;
  };
}

/** An image on the node. */
export interface ContainerImage {
  /** Digests first, then tags; at most five. */
  names?: string[];
  sizeBytes?: number;
}

/** The status of dynamic kubelet configuration, which Kubernetes has removed. */
export interface NodeConfigStatus {
  assigned?: NodeConfigSource;
  active?: NodeConfigSource;
  lastKnownGood?: NodeConfigSource;
  error?: string;
}

export interface NodeConfigSource {
  configMap?: { namespace: string; name: string; uid?: string; resourceVersion?: string; kubeletConfigKey: string };
}

/** A runtime handler; the default one is also listed with an empty name. */
export interface NodeRuntimeHandler {
  name?: string;
  features?: { recursiveReadOnlyMounts?: boolean; userNamespaces?: boolean };
}

/** Features of the container runtime that do not depend on the handler. */
export interface NodeFeatures {
  supplementalGroupsPolicy?: boolean;
}

export interface NodeCondition {
  type: string;
  status: string;
  lastHeartbeatTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

export interface NodeAddress {
  /** `InternalIP`, `ExternalIP`, `Hostname`, `InternalDNS` or `ExternalDNS`. */
  type: string;
  address: string;
}

export interface NodeSystemInfo {
  machineID: string;
  systemUUID: string;
  bootID: string;
  kernelVersion: string;
  osImage: string;
  containerRuntimeVersion: string;
  kubeletVersion: string;
  kubeProxyVersion?: string;
  operatingSystem: string;
  architecture: string;
  swap?: {
    /** Bytes. */
    capacity?: number;
  };
}
