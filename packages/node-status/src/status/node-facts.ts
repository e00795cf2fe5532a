import type { EvictionReserve, NodeAddress, NodeFeatures, NodeRuntimeHandler, ResourceList } from '@nodeagent/api';
import type { MachineInfo } from '../machine/machine-info.js';
import type { DeviceResources } from './capacity.js';
import type { NodeImage } from './images.js';

/** The input of a node's status, observed together. */
export interface NodeStatusFacts {
  nodeName: string;
  operatingSystem: string;
  architecture: string;
  /** Absent if unknown: the previous addresses are kept. */
  addresses?: readonly NodeAddress[];
  /** Absent if the machine cannot be read. */
  machine?: MachineInfo;
  maxPods: number;
  podsPerCore: number;
  systemReserved?: ResourceList;
  kubeReserved?: ResourceList;
  /** Hard eviction thresholds to subtract from allocatable; the last one of a resource counts. */
  evictionReserves?: readonly EvictionReserve[];
  devices?: DeviceResources;
  /** `version` is absent if the runtime did not report it. */
  runtimeVersion: { type: string; version?: string };
  kubeletVersion: string;
  kubeletPort: number;
  images: readonly NodeImage[];
  nodeStatusMaxImages: number;
  /** In any order. */
  runtimeHandlers?: readonly NodeRuntimeHandler[];
  features?: NodeFeatures;
  pressure: { memory: boolean; disk: boolean; pid: boolean };
  /** Why the node cannot run pods. */
  runtimeErrors: readonly string[];
  networkErrors: readonly string[];
  storageErrors: readonly string[];
  shutdownError?: string;
  /** A problem that does not stop pods. */
  warning?: string;
  localStorageCapacityIsolation: boolean;
  /** Absent until the volume manager knows. */
  volumesInUse?: readonly string[];
  declaredFeatures?: readonly string[];
}
